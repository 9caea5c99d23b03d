#!/usr/bin/env bash
# tags.sh FOLDER...: fail if two of the folders define a struct, union or enum with the same tag.
# Readers, debuggers and bpftool know such a type only by its tag.
set -eu
tags=$(for folder; do
	grep -rhoE '^(struct|union|enum) [a-z0-9_]+ \{' --include='*.[ch]' -- "$folder" |
		cut -d ' ' -f 2 | sort -u
done | sort | uniq -d | paste -sd '|')
[ -n "$tags" ] || exit 0
grep -rnE "^(struct|union|enum) ($tags) \{" --include='*.[ch]' -- "$@"
echo "tags that have two meanings: rename one of the types"
exit 1
