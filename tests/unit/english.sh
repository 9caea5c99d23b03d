#!/usr/bin/env bash
# A comment above a definition can be read alone: it does not begin with a pronoun, or with "Of",
# "As" or "The same", whose subject would be in another comment.
set -eu
cd "$(dirname "$0")/../.."

# Print "FILE:LINE: comment" for each comment in FILE... that begins like that.
dependent() {
	perl -0ne '
		my $words = "it|its|they|their|them|he|his|this|that|these|those|what|whatever|who|" .
			"whoever|whose|whom|which|of|as|and|or|nor|the same";
		while (m{^[ \t]*/\*[\s*]*(.*?)\*/\n(?=[ \t]*[\w#.])}gms) {
			my ($text, $line) = ($1, 1 + substr($_, 0, $-[0]) =~ tr/\n//);
			print "$ARGV:$line: $text\n" if $text =~ /^(?:$words)\b/i;
		}' "$@"
}

# The check finds such a comment.
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
printf '/* Of a queue. */\nint a;\n/*\n * The same. */\nint b;\n/* Length. */\nint c;\n' >"$work/a.c"
[ "$(dependent "$work/a.c" | wc -l)" = 2 ] || { echo "the check finds nothing" && exit 1; }

mapfile -t sources < <(find include user bpf tools bench examples tests -name '*.[ch]')
found=$(dependent "${sources[@]}")
[ -z "$found" ] || { echo "$found" && exit 1; }
echo "${#sources[@]} files"
