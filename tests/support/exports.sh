#!/usr/bin/env bash
# exports.sh LIBRARY FILE...: fail if the shared library exports other symbols than the functions
# that headers among the files declare as XRDMA_API, and, without a version, those that others
# define as HOOK. Fail if dlclose(3) could unmap the library, because its threads run until the
# process ends.
set -eu
library=$1
declared() {
	sed -nE 's/^XRDMA_API [^(]*\b(xrdma_\w+)\(.*/\1/p; s/^HOOK [^(]*\b(\w+)\(.*/\1 (of no version)/p' "$@" |
		sort
}
exported() { nm --dynamic --defined-only --format=posix "$1" | awk '$2 != "A" { print $1 }' | sort; }
diff --label 'declared by the headers' --label "exported by $library" -u0 \
	<(declared "${@:2}") <(exported "$library" | sed 's/@@XRDMA_.*//; t; s/$/ (of no version)/') || {
	echo "XRDMA_API in the headers, HOOK in user/hook and user/libxrdma.map do not name the same functions"
	exit 1
}
readelf --dynamic --wide "$library" | grep -q NODELETE || {
	echo "$library is not linked with -z nodelete"
	exit 1
}
