#!/usr/bin/env bash
# Each command of the tool has a help text, and the README agrees with it.
set -eu
cd "$(dirname "$0")/../.."
xrdma=build/xrdma
fail() {
	echo "$*"
	exit 1
}
in_readme=$(sed -n 's/ *#.*//; s/^    build\/xrdma/xrdma/p' README.md)

# Print each form of "usage: xrdma COMMAND FORM" on a line of its own.
forms() { sed -n '/^[a-z ]/p; /\.$/q' | sed '$d' | perl -0pe 's/\n {8,}/ /g; s/^(usage:| {6}) //mg'; }

commands=$($xrdma --help | sed -n 's/^  \([a-z]\+\) .*/\1/p')
[ "$(wc -w <<<"$commands")" = 7 ] || fail "commands: $commands"
[ "$($xrdma help)" = "$($xrdma --help)" ] || fail "xrdma help is not xrdma --help"
for command in $commands; do
	output=$($xrdma "$command" --help 2>&1) || fail "$command --help: $output"
	[ "$output" = "$($xrdma "$command" -h)" ] || fail "$command -h is not $command --help"
	[ "$output" = "$($xrdma help "$command")" ] || fail "help $command is not $command --help"
	while read -r form; do
		grep -qFx "$form" <<<"$in_readme" || fail "the README lacks: $form"
		for option in $(grep -oP '(?<=\[)--?\w+' <<<"$form" | sort -u); do
			grep -q "^  $option " <<<"$output" || fail "$command --help does not explain $option"
		done
	done < <(forms <<<"$output")
done

# Each table of xrdma show is in its help.
kinds=$(grep -oP '\{ "\K[a-z]+(?=", "xrdma_)' tools/cmd_show.c)
[[ $($xrdma show --help) == "usage: xrdma show ${kinds//$'\n'/|} "* ]] || fail "show: $kinds"

refused() { # TEXT ARGUMENT...
	local text=$1 got=0 output
	shift
	output=$($xrdma "$@" 2>&1) || got=$?
	[ $got = 2 ] && grep -q "$text" <<<"$output" || fail "xrdma $*: status $got: $output"
}
refused "^usage: xrdma \[-n NETNS\] COMMAND"
refused "there is no command nonsense" help nonsense
refused "^xrdma load: unrecognized option '--fast'" load eth0 --fast
refused "^usage: xrdma load DEVICE" load eth0 --fast
echo "forms, options, errors"
