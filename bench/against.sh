#!/usr/bin/env bash
# against.sh COMMIT [ROUNDS [NAMES]]: the figures whose names begin with NAMES (default responder),
# beside COMMIT's, which is built in a folder of its own. The two run by turns, ROUNDS times each
# (default 10); ours and COMMIT's are means of the rounds' figures.
set -eu
cd "$(dirname "$0")/.."
theirs=$PWD/build/against
commit=$(git rev-parse --verify "$1^{commit}")
rounds=${2:-10} names=${3-responder}
trap 'git worktree remove --force "$theirs" 2>/dev/null || true' EXIT
git worktree prune
git worktree add --quiet --force --detach "$theirs" "$commit"
for tree in . "$theirs"; do make -s -C "$tree" all build/bench/bench >/dev/null; done

# Figures of TREE, "name value" each. An older tree does not know of parts, and runs all.
figures() { # TREE
	local file=build/against.json part=${names%%_*}
	(cd "$1" && bench/run.sh "$file" $part) >/dev/null 2>&1
	jq -r --arg names "$names" '.[] | select(.name | startswith($names)) |
		.name + " " + (.value | tostring)' "$1/$file"
}
for ((round = 0; round < rounds; round++)); do
	figures . | sed 's/^/ours /'
	figures "$theirs" | sed 's/^/theirs /'
done | awk -v commit="${commit:0:9}" '
	{ sum[$1, $2] += $3; count[$1, $2]++ }
	$1 == "ours" && !seen[$2]++ { names[++n] = $2 }
	END {
		printf "%-24s %10s %10s %8s  ns\n", "", "ours", commit, "ratio"
		for (i = 1; i <= n; i++) {
			name = names[i]
			if (!count["theirs", name]) continue
			ours = sum["ours", name] / count["ours", name]
			theirs = sum["theirs", name] / count["theirs", name]
			printf "%-24s %10.1f %10.1f %8.3f\n", name, ours, theirs, ours / theirs
		}
	}'
