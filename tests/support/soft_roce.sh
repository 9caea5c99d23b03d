# Host b of net.sh, after which this is sourced, is the first network namespace, and gets a Soft-RoCE
# rxe0, which works there alone. It is that of a guest of make kernels, which lends it (FIRST_NETNS),
# never that of the machine that a user works at.
add_host() { # NAME
	[ "$1" = b ] || { ip netns add "$1" && return; }
	touch /run/netns/b
	mount --bind "$FIRST_NETNS" /run/netns/b
	trap 'in_b rdma link del rxe0; kill $(jobs -p) 2>/dev/null || true; ip -all netns delete' EXIT
}

add_soft_roce() { in_b rdma link add rxe0 type rxe netdev xb; }

in_b() { nsenter --net=/run/netns/b "$@"; }
