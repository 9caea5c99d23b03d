#!/usr/bin/env bash
# exports.sh LIBRARY HEADER...: fails when the shared library exports other symbols than the
# functions that the headers declare as XRDMA_API, or one without a version.
set -eu
library=$1
declared() { sed -nE 's/^XRDMA_API [^(]*\b(xrdma_\w+)\(.*/\1/p' "$@" | sort; }
exported() { nm --dynamic --defined-only --format=posix "$1" | awk '$2 != "A" { print $1 }' | sort; }
diff --label 'declared by the headers' --label "exported by $library" -u0 \
	<(declared "${@:2}") <(exported "$library" | sed 's/@@XRDMA_.*//; t; s/$/ (of no version)/') || {
	echo "XRDMA_API in the headers and user/libxrdma.map do not name the same functions"
	exit 1
}
