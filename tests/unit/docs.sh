#!/usr/bin/env bash
# The documents name files, folders, functions and tests that there are.
set -eu
cd "$(dirname "$0")/../.."
shopt -s nullglob
status=0
quoted() { # PATTERN DOCUMENT...: what matches between backticks, and where
	grep -nHoP "\`\K$1(?=\`)" "${@:2}"
}

# Below one of the top folders, or of the two that most is said of.
while IFS=: read -r document line path; do
	found=()
	for folder in . bpf user include examples tests; do found+=("$folder"/$path); done
	for file in "${found[@]}"; do [ ! -e "$file" ] || continue 2; done
	echo "$document:$line: no $path"
	status=1
done < <(quoted '(?!build/)[\w.*-]+(/[\w.*-]+)+' README.md docs/*.md)

# The other documents speak of names of the kernel, too.
while IFS=: read -r document line name; do
	grep -rqw --include='*.[ch]' "${name%()}" include bpf user tools tests || {
		echo "$document:$line: no $name"
		status=1
	}
done < <(quoted '\w+_\w+(\(\))?' README.md docs/architecture.md docs/adding.md)
while IFS=: read -r document line test; do
	grep -rqE --include='*.c' "^Tests?\(${test%.*}, ${test#*.}[,)]" tests || {
		echo "$document:$line: no $test"
		status=1
	}
done < <(quoted '[a-z]\w*\.[a-z]\w+' docs/memory.md | grep -vE ':(vm|libxrdma)\.')
[ $status = 0 ] && echo "files and names"
exit $status
