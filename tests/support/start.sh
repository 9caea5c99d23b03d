# Functions for tests that start commands in the background.

fail() { echo "$*"; exit 1; }

# start FILE COMMAND...: run COMMAND in the background, with its process id in $!. FILE is emptied
# before this function returns, and gets all output. COMMAND has the input of this function; without
# <&0 it would read /dev/null.
start() {
	local fd file=$1
	shift
	exec {fd}>"$file"
	"$@" <&0 >&"$fd" 2>&1 {fd}>&- &
	exec {fd}>&-
}

# start_until FILE TEXT COMMAND...: do the same, and wait until COMMAND has printed TEXT
start_until() {
	local file=$1 text=$2 alive=1
	shift 2
	start "$file" "$@"
	until grep -q "$text" "$file"; do
		[ $alive ] || fail "$* ended: $(cat "$file")"
		kill -0 $! 2>/dev/null || alive=
		sleep 0.01
	done
}
