#!/usr/bin/env bash
# Results of tests/run for tests that pass, fail, are skipped, hang, or leave something, and for
# messages of the kernel.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export KERNEL_LOG=$work/log
mkdir "$work/tests"
echo '4,0,100,-;WARNING: before' >"$KERNEL_LOG"

test_of() { # NAME: its code is read
	{ echo '#!/bin/sh'; cat; } >"$work/tests/$1"
	chmod +x "$work/tests/$1"
}

# outcome STATUS NAME...: expect that the runner ends with STATUS; its output is in $work/out
outcome() {
	local status=$1 got=0
	shift
	tests/run "${@/#/$work/tests/}" >"$work/out" 2>&1 || got=$?
	[ $got = "$status" ] || fail "$*: status $got"
}
says() { grep -qE -- "$1" "$work/out" || fail "no '$1'"; }
fail() { echo "$*"; cat "$work/out"; exit 1; }

test_of good <<<'echo fine'
test_of bad <<<'echo because; exit 3'
test_of absent <<<'echo no such thing here; exit 77'
outcome 1 good bad absent
says '^ok +[0-9]+\.[0-9] s  good  fine$'
says '^ +because$'
says '^FAIL .* bad  status 3$'
says '^skipped: absent: no such thing here$'
says '^1 passed, 1 failed, 1 skipped$'

# Each waits for the other, so they must run side by side.
test_of one <<<"mkfifo $work/pipe; echo >$work/pipe"
test_of other <<<"until [ -p $work/pipe ]; do :; done; read -r _ <$work/pipe"
TEST_SECONDS=10 JOBS=2 outcome 0 one other
says '^2 passed, 0 failed, 0 skipped$'

# Processes that are left in any way are reported and ended.
test_of slow <<<'sleep 1000 & sleep 1000'
test_of leaves <<<'setsid sleep 1234 >/dev/null 2>&1 & echo fine'
test_of namespace <<<'[ "$(id -u)" != 0 ] || touch /run/netns/forgotten'
TEST_SECONDS=1 JOBS=3 outcome 1 slow leaves namespace
says 'ended after 1 s'
says 'it left process [0-9]+: sleep 1234'
! pgrep -f '^sleep 1234$' >/dev/null || fail "it runs on"
if [ "$(id -u)" = 0 ]; then
	says 'it left network namespace forgotten'
	[ ! -e /run/netns/forgotten ] || fail "it is there"
fi

# Temporary files are removed, too.
test_of litters <<<"mktemp >$work/litter; kill -KILL \$\$"
outcome 1 litters
litter=$(cat "$work/litter")
[ -n "$litter" ] && [ ! -e "$litter" ] || fail "$litter is there"

# A message of the kernel during the test counts.
cat >"$work/kernel" <<'END'
for text in "$@"; do echo "4,$(wc -l <$KERNEL_LOG),300,-;$text" >>$KERNEL_LOG; done
END
complaints=('WARNING: CPU: 1 PID: 2 at net/core/page_pool.c:1' 'kernel BUG at mm/slub.c:1' 'Oops: 0000 [#1]'
	'BUG: Bad page state in process x' 'refcount_t: underflow; use-after-free.' 'general protection fault'
	'page_pool_release_retry() stalled pool shutdown: id 1, 1 inflight 60 sec')
for number in "${!complaints[@]}"; do
	test_of "complaint$number" <<<"sh $work/kernel '${complaints[number]}' 'Call Trace'"
done
test_of usual <<<"sh $work/kernel 'xa: entered promiscuous mode'"
JOBS=1 outcome 1 complaint{0..6} usual
says '^1 passed, 7 failed, 0 skipped$'
[ "$(grep -cE '^ +(the kernel complained:|Call Trace)$' "$work/out")" = 14 ] || fail "not 7 complaints"
for text in "${complaints[@]}"; do
	[ "$(grep -cF "$text" "$work/out")" = 1 ] || fail "not once '$text'"
done
KERNEL_LOG=$work/none outcome 0 good usual
[ "$(grep -c "the kernel's log cannot be read" "$work/out")" = 1 ] || fail "not once"

# The slowest test comes first.
for name in a b c; do test_of $name <<<:; done
printf '%s\n' 'a 1.5' 'b 20.0' 'c 3.1' >"$work/times"
JOBS=1 TIMES=$work/times outcome 0 a b c
[ "$(awk '$1 == "ok" { printf $4 }' "$work/out")" = bca ] || fail "out of order"
grep -qE '^b [0-9]\.[0-9]$' "$work/times" || fail "the times are not kept: $(cat "$work/times")"
echo "outcomes, leavings, the kernel's log"
