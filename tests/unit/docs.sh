#!/usr/bin/env bash
# Files, folders, functions and tests that the documents name exist.
set -eu
cd "$(dirname "$0")/../.."
shopt -s nullglob
status=0
quoted() { # PATTERN DOCUMENT...: print matches between backticks, and their lines
	grep -nHoP "\`\K$1(?=\`)" "${@:2}"
}

# Paths are below the top folder, or below one of these folders.
while IFS=: read -r document line path; do
	found=()
	for folder in . bpf user include examples tests; do found+=("$folder"/$path); done
	for file in "${found[@]}"; do [ ! -e "$file" ] || continue 2; done
	echo "$document:$line: no $path"
	status=1
done < <(quoted '(?!build/)[\w.*-]+(/[\w.*-]+)+' README.md CONTRIBUTING.md docs/*.md)

# Other documents also name symbols of the kernel.
while IFS=: read -r document line name; do
	grep -rqw --include='*.[ch]' "${name%()}" include bpf user tools tests || {
		echo "$document:$line: no $name"
		status=1
	}
done < <(quoted '\w+_\w+(\(\))?' README.md CONTRIBUTING.md \
	docs/{overview,datapath,concurrency,sender,windows-and-mkeys,adding}.md)
while IFS=: read -r document line test; do
	grep -rqE --include='*.c' "^(Tests?\(${test%.*}, |CASE\()${test#*.}[,)]" tests || {
		echo "$document:$line: no $test"
		status=1
	}
done < <(quoted '[a-z]\w*\.[a-z]\w+' docs/{memory,services}.md | grep -vE ':(vm|libxrdma)\.')
[ $status = 0 ] && echo "files and names"
exit $status
