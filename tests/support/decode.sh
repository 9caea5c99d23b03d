# Decode packets with tshark and with xrdma pcap. Source this from the root of the tree.

# Both print the same fields in tshark's notation (64-bit numbers in decimal, bytes without 0x).
by_tshark() {
	local fields=(bth.opcode bth.destqp bth.psn bth.a bth.padcnt bth.p_key reth.va reth.r_key reth.dmalen
		aeth.syndrome aeth.msn immdt ieth deth.srcqp deth.q_key
		atomiceth.swapdt atomiceth.cmpdt atomicacketh.origremdt)
	tshark -r "$1" -Y infiniband.bth.opcode -T fields -E occurrence=f -E separator='|' \
		-e frame.number "${fields[@]/#/-einfiniband.}" 2>/dev/null
}

# tshark 4.0 does not know the headers of FLUSH (28) and ATOMIC WRITE (29), so they are left out on
# our side, too.
fields='
	def bytes: if . == null then null else .[2:] end;
	def hex($width): if . == null then null else
		[limit($width; . as $n | recurse(. / 16 | floor))] | map(. % 16 | "0123456789abcdef"[.:. + 1])
		| reverse | "0x" + join("") end;
	.[] | select(.error == null) | if .opcode == 28 or .opcode == 29 then del(.addr, .key, .length) else . end
	| [.frame, .opcode, (.dest_qpn | hex(6)), .psn, (if .ack_req then 1 else 0 end), .pad, .pkey,
	   .addr, .key, .length, .syndrome, .msn, (.imm | bytes), (.invalidate_key | bytes),
	   (.src_qpn | hex(8)), .qkey, .swap_add, .compare, .original]
	| map(. // "" | tostring) | join("|")'
by_xrdma() {
	build/xrdma pcap -j "$1" | jq -r "$fields" |
		while IFS='|' read -r -a f; do
			for i in 6 16 17 18; do
				[ -z "${f[i]-}" ] || printf -v "f[$i]" %u "${f[i]}"
			done
			[ -z "${f[15]-}" ] || printf -v 'f[15]' 0x%016x "${f[15]}"
			printf '%s|' "${f[@]:0:18}"
			printf '%s\n' "${f[18]-}"
		done
}

# decode FILE FOLDER: expect that both decode FILE alike, into FOLDER/tshark and FOLDER/xrdma, one
# line for each packet
decode() {
	by_tshark "$1" >"$2/tshark"
	by_xrdma "$1" >"$2/xrdma"
	diff "$2/tshark" "$2/xrdma" >"$2/diff" && return
	echo "$1: tshark (<) and xrdma (>) differ"
	head -20 "$2/diff"
	exit 1
}
