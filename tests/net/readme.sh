#!/usr/bin/env bash
# The commands and the first program of the README work exactly as they are printed there.
set -eu
. "$(dirname "$0")/../support/net.sh"

# fenced LANGUAGE: print the code between its fences
fenced() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/ { /^\`\`\`/d; p }" README.md; }

# indented TEXT: run the command that contains TEXT, without its comment, with the program in $work
indented() {
	sed -n "/^    .*$1/ { s/ *#.*//; s,first\.c,$work/&,; s,\./first,$work/first,; s,-o ,&$work/,; p }" README.md
}

[[ $(fenced sh | head -1) == *"&& make" ]] || fail "the commands use what is not built yet"
. <(fenced sh)
fenced c >"$work/first.c"

writes() {
	coproc TARGET { eval "exec $(indented 'first xb')" 2>&1; }
	target=$TARGET_PID
	exec {go}>&"${TARGET[1]}" {output}<&"${TARGET[0]}"
	wait_for_listener "$target"

	eval "$(indented 'first xa')" >"$work/out" 2>&1 || fail "the writer failed: $(cat "$work/out")"
	[ "$(cat "$work/out")" = "write: success" ] || fail "the writer said: $(cat "$work/out")"
	echo >&"$go"
	read -r -t 10 -u "$output" line
	[ "$line" = "memory: hello" ] || fail "the target said: $line"
	wait "$target"
}
eval "$(indented 'cc -Iinclude')"
writes
cc -Iinclude "$work/first.c" build/libxrdma.so.0 -o "$work/first"
export LD_LIBRARY_PATH=build
writes
echo "the first program writes, with the static library and with the shared one"
