#!/usr/bin/env bash
# Plain English (CONTRIBUTING.md). A comment above a definition can be read alone. Therefore it does
# not begin with a pronoun, or with "Of", "As" or "The same": their subject would be in another
# comment. The documents have few words that join relative clauses, and short sentences.
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

# Print "FILE: WORDS LENGTH" for each document: relative words in 100 words, words in a sentence.
measure() {
	perl -0ne '
		s/^```.*?^```//gms;
		my $words = () = /[A-Za-z][\w\x27-]*/g;
		my $joining = () = /\b(?:that|which|what|who|whose|whom|where|whoever|whatever)\b/gi;
		s/^(?:[|#]|    ).*//gm;
		my @sentences = grep { split > 2 } split /(?<=[.:;!?])\s+|\n\s*\n|\n- |\n\d+\. /;
		my $length = 0;
		$length += split for @sentences;
		printf "%s: %.1f %.1f\n", $ARGV, 100 * $joining / $words, $length / @sentences;' "$@"
}
measure README.md CONTRIBUTING.md docs/*.md >"$work/measured"
awk '$2 > 2.2 || $3 > 20 { print $0 ": at most 2.2 relative words in 100, 20 words a sentence"; bad = 1 } END { exit bad }' \
	"$work/measured"
echo "${#sources[@]} sources, $(wc -l <"$work/measured") documents"
