#!/usr/bin/env bash
# Manual pages: mandoc finds no errors. Each public call and each command of the tool has a page.
# Pages that they refer to exist.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
fail() {
	echo "$*"
	exit 1
}
command -v mandoc >/dev/null || { echo "needs mandoc" && exit 77; }
mkdir "$work/man8"
cp -r build/man3 "$work"
cp docs/man/*.8 "$work/man8"
cd "$work"

# Pages of other projects need not be installed. Messages are on standard output.
lint() { mandoc -T lint "$@" 2>/dev/null | grep -v "referenced manual not found"; }
warnings=$(lint man3/* man8/*) && fail "$warnings"
printf '.Dd x\n.Dt A 3\n.Sh NAME\n.Xr\n' >wrong.3
lint wrong.3 >/dev/null || fail "mandoc finds nothing in a wrong page"

cd - >/dev/null
for call in $(grep -o '\<xrdma_\w*' user/libxrdma.map); do
	[ -s "$work/man3/$call.3" ] || fail "no page of $call(3)"
done
grep -ho '^\.Xr xrdma\S* [38]' "$work"/man[38]/* | sort -u | while read -r _ name section; do
	[ -s "$work/man$section/$name.$section" ] || fail "no page of $name($section)"
done

# Each option in the help of a command is in its page.
for command in $(build/xrdma --help | sed -n 's/^  \([a-z]\+\) .*/\1/p'); do
	page=docs/man/xrdma-$command.8
	[ -s "$page" ] || fail "no $page"
	build/xrdma "$command" --help | grep -oP '^  -\K\S+' | sort -u | while read -r option; do
		grep -q "^\.It Fl $option\b" "$page" || fail "$page lacks -$option"
	done
done
echo "$(ls "$work/man3" | wc -l) pages of section 3, $(ls "$work/man8" | wc -l) of section 8"
