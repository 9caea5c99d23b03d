#!/usr/bin/env bash
# layers.sh FOLDER LAYER...: fail if a file in a subfolder of FOLDER includes a file of a later
# layer. The lowest layer comes first. Subfolders that share a layer, as in responder,requester,
# must not include each other. Fail also if files include each other in a circle; x.c and x.h count
# as one file.
set -eu
folder=$1
layers=("${@:2}")
status=0
diff <(tr ' ,' '\n\n' <<<"${layers[*]}" | sort) <(cd "$folder" && ls -d */ | tr -d / | sort) || status=1
for i in "${!layers[@]}"; do
	for own in ${layers[i]//,/ }; do
		others=$(tr ' ,' '\n\n' <<<"${layers[*]:i}" | grep -vx "$own" | paste -sd '|') || true
		[ -z "$others" ] || ! grep -nE "#include \"($others)/" "$folder/$own"/* || status=1
	done
done
[ $status = 0 ] || echo "$folder: a subfolder that is no layer, or a file that includes one of a layer above its own"
# tsort(1) fails at a circle. "bpf/" and "user/" both have a subfolder obj. A header of the other
# one is a node here, too, but its own includes are not read, so it is in no circle.
(cd "$folder" && grep -E '^#include "' -- */*.[ch]) |
	sed -En 's/^(.*)\.[ch]:#include "(.*)\.h"$/\1 \2/p' | tsort >/dev/null || {
		echo "$folder: the files above include each other in a circle"
		status=1
	}
exit $status
