# Source this after net.sh. Host b becomes the first network namespace, with a Soft-RoCE rxe0, which
# works only there. This is done only in a guest of make kernels (FIRST_NETNS), and never on the
# machine of a user.
add_host() { # NAME
	[ "$1" = b ] || { ip netns add "$1" && return; }
	touch /run/netns/b
	mount --bind "$FIRST_NETNS" /run/netns/b
	trap 'in_b rdma link del rxe0; kill $(jobs -p) 2>/dev/null || true; ip -all netns delete' EXIT
}

add_soft_roce() { in_b rdma link add rxe0 type rxe netdev xb; }

in_b() { nsenter --net=/run/netns/b "$@"; }
