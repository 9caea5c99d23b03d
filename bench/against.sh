#!/usr/bin/env bash
# against.sh COMMIT [ROUNDS [NAMES]]: compare figures whose names begin with NAMES (default
# responder) with those of COMMIT, which is built in a folder of its own. Both are run alternately,
# ROUNDS times each (default 10). The table has the mean of the middle half of all rounds. A median
# would change by 3 % at once where the clock has ticks of 10 ns. A patch in bench/against changes
# the benchmarks of COMMIT to those of this tree. If NAMES is check, the figure is the duration of
# `make check`; a run with a failed test has none.
set -eu
cd "$(dirname "$0")/.."
theirs=$PWD/build/against
commit=$(git rev-parse --verify "$1^{commit}")
rounds=${2:-10} names=${3-responder}
trap 'git worktree remove --force "$theirs" 2>/dev/null || true' EXIT
git worktree prune
git worktree add --quiet --force --detach "$theirs" "$commit"
for patch in "$PWD"/bench/against/*.patch; do
	[[ $commit != "$(basename "$patch" .patch)"* ]] || git -C "$theirs" apply "$patch"
done
unit=ns
case $names in # parts of the benchmarks that measure them
check) unit=ms ;;
load*) unit='ms of CPU' parts=load ;;
rate*) unit=op/us parts=bw ;;
bw*) unit=Gbit/s parts=bw ;;
mr*) parts='mr reg' ;;
*) parts=${names%%_*} ;;
esac
unset MAKEFLAGS # so that each make below has its own jobs
for tree in . "$theirs"; do make -s -C "$tree" all build/bench/bench >/dev/null; done
if [ "$names" = check ]; then
	# No test has the name "nothing": everything is built, and no test runs.
	for tree in . "$theirs"; do make -C "$tree" check ONLY=nothing >/dev/null 2>&1 || true; done
	[ ! -d ../shared ] || ln -sfn ../../shared build/shared # so that both run the same tests
fi

time_check() { # TREE
	local log=build/against.log began=${EPOCHREALTIME//[!0-9]/}
	make -C "$1" check >"$log" 2>&1 || { cat "$log" >&2; return; }
	echo "check $(((${EPOCHREALTIME//[!0-9]/} - began) / 1000))"
}

# Print the figures of TREE, one "name value" per line. An older tree has no parts, and runs all
# benchmarks.
figures() { # TREE
	local file=build/against.json
	[ "$names" != check ] || { time_check "$1"; return; }
	(cd "$1" && bench/run.sh "$file" $parts) >/dev/null 2>&1
	jq -r --arg names "$names" '.[] | select(.name | startswith($names)) |
		.name + " " + (.value | tostring)' "$1/$file"
}
for ((round = 0; round < rounds; round++)); do
	figures . | sed 's/^/ours /'
	figures "$theirs" | sed 's/^/theirs /'
done | sort -s -k1,2 -k3n | awk -v commit="${commit:0:9}" -v unit="$unit" '
	function middle(side, name,   first, last, sum, i) {
		first = int(count[side, name] / 4) + 1
		last = count[side, name] - int(count[side, name] / 4)
		for (i = first; i <= last; i++) sum += value[side, name, i]
		return sum / (last - first + 1)
	}
	{ value[$1, $2, ++count[$1, $2]] = $3 }
	$1 == "ours" && count[$1, $2] == 1 { names[++figures] = $2 }
	END {
		printf "%-33s %10s %10s %8s  %s\n", "", "ours", commit, "ratio", unit
		for (i = 1; i <= figures; i++) {
			name = names[i]
			if (!count["theirs", name]) continue
			ours = middle("ours", name)
			theirs = middle("theirs", name)
			printf "%-33s %10.1f %10.1f %8.3f\n", name, ours, theirs, ours / theirs
		}
	}'
