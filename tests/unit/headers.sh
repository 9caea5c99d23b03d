#!/usr/bin/env bash
# The public headers declare nothing of the contract between the XDP programs and the library. It is
# in include/xrdma/abi/.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# none_of PATTERN HEADER: fail if HEADER includes one whose path matches PATTERN
none_of() {
	local included
	included=$(${CC:-cc} -Iinclude -x c -M "$2" | grep -oE 'include/xrdma/[a-z/]+\.h')
	! grep -E "$1" <<<"$included" || { echo "$2 includes these"; exit 1; }
}

for header in include/xrdma/*.h; do none_of /abi/ "$header"; done

# Only programs that read counters or a vendor_err need the lists of verdicts and opcodes.
none_of '/(verdict|opcode|counters)\.h' include/xrdma/qp.h
echo "public headers"
