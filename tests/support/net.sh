# Functions for tests with network namespaces. Source this first. The test is started again alone
# (tests/alone), with a BPF file system of its own. So nothing remains, however the test ends.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
[ -n "${ALONE-}" ] || exec "$(dirname "${BASH_SOURCE[0]}")/../alone" "$0" "$@"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/support/start.sh
trap 'kill $(jobs -p) 2>/dev/null || true; ip -all netns delete' EXIT
work=/mnt
mount -t tmpfs tmpfs "$work"
mkdir "$work/bpf"
mount -t bpf bpf "$work/bpf"
export XRDMA_BPFFS=$work/bpf LIBXDP_BPFFS=$work/bpf
xrdma=build/xrdma
programs=${PROGRAMS:-build/san/tests/net} # programs of tests/net/*.c

# Run each program of tests/net/FOLDER, by COMMAND if there is one.
run_programs() { # FOLDER [COMMAND...]
	local source
	for source in "tests/net/$1"/*.c; do
		"${@:2}" "$programs/$1/$(basename "$source" .c)"
	done
}

add_host() { ip netns add "$1"; } # NAME

# Create two hosts a and b, joined by a veth pair xa (10.66.0.1, fd66::1) - xb (10.66.0.2, fd66::2).
# The first argument is the MTU.
two_hosts() {
	add_host a
	add_host b
	join xa netns a mtu "${1:-1500}" type veth peer name xb netns b mtu "${1:-1500}"
	address_host a 1
	address_host b 2
}

# Create the same hosts with a bridge between them, in namespace wire. Port pa leads to xa, and port
# pb to xb.
two_hosts_bridged() {
	local host
	ip netns add wire
	ip -n wire link add br0 type bridge
	ip -n wire link set br0 up
	for host in a b; do
		add_host $host
		join x$host netns $host mtu "${1:-1500}" type veth \
			peer name p$host netns wire mtu "${1:-1500}"
		ip -n wire link set p$host master br0 up
	done
	address_host a 1
	address_host b 2
}

# Create one host with both names and both netdevs.
one_host() {
	ip netns add a
	touch /run/netns/b
	mount --bind /run/netns/a /run/netns/b
	join xa netns a mtu "${1:-1500}" type veth peer name xb netns a mtu "${1:-1500}"
	address_host a 1
	address_host b 2
}

# Create two hosts with an MTU of 4500. Test programs play host a (tests/support/peer.h), with the
# addresses of tests/support/packet.c. A raw socket in a receives the packets of b one by one.
peer_and_host() {
	two_hosts 4500
	ip -n a link set xa address 02:00:00:00:00:03
	ip -n b link set xb address 02:00:00:00:00:02
	ip -n b link set xb gso_max_segs 1
	ip -n a addr add 10.66.0.3/24 dev xa
	ip -n a addr add fd66::3/64 dev xa nodad
}

join() { # ARGUMENT...: of ip link add, for a veth pair
	ip link add "$@" 2>"$work/output" && return
	grep -q 'Unknown device type' "$work/output" || fail "$(cat "$work/output")"
	fail "this kernel has no veth: one with CONFIG_VETH is needed"
}

address_host() { # NAME NUMBER
	ip -n "$1" link set lo up
	# Without duplicate address detection, addresses are usable at once.
	nsenter --net="/run/netns/$1" sh -c "echo 0 >/proc/sys/net/ipv6/conf/x$1/accept_dad"
	ip -n "$1" addr add "10.66.0.$2/24" dev "x$1"
	ip -n "$1" addr add "fd66::$2/64" dev "x$1"
	ip -n "$1" link set "x$1" up
}

# The kernel may notice up to a second late that a link is up, and frames are lost until then.
# Netdevs without a link, like tunnels, are in state UNKNOWN.
wait_for_link() { # HOST NETDEV
	local end=$((SECONDS + 10))
	until [[ $(ip -n "$1" -br link show "$2") =~ \ (UP|UNKNOWN)\  ]]; do
		[ $SECONDS -lt $end ] || fail "$2 of $1 has no link: $(ip -n "$1" link show "$2")"
		sleep 0.01
	done
}

# in_both_modes COMMAND...: run COMMAND with both hosts loaded in native mode, and then in tc mode;
# $mode is the mode
in_both_modes() {
	local mode
	for mode in native tc; do
		$xrdma -n a load xa --mode $mode >/dev/null
		$xrdma -n b load xb --mode $mode >/dev/null
		"$@"
		$xrdma -n a unload xa
		$xrdma -n b unload xb
	done
}

# in_both_modes_of_b COMMAND...: do the same with b alone; the mode is COMMAND's last argument
in_both_modes_of_b() {
	local mode
	for mode in native tc; do
		$xrdma -n b load xb --mode $mode >/dev/null
		"$@" $mode
		$xrdma -n b unload xb
	done
}

# Wait until process PID listens on TCP port 7471 over IPv6, and so over both families. ss(8) asks
# the kernel only for listening sockets. Reading /proc/net/tcp6 takes 4 ms.
wait_for_listener() { # PID
	until [ "$(nsenter --net="/proc/$1/ns/net" ss -6Hltn sport = :7471)" ]; do
		kill -0 "$1" 2>/dev/null || fail "a server ended before it listened"
		sleep 0.01
	done
}

# refused STATUS TEXT COMMAND...: expect that COMMAND fails with this status and prints TEXT
refused() {
	local status=$1 text=$2 got=0
	shift 2
	"$@" >"$work/out" 2>&1 || got=$?
	[ $got = "$status" ] && grep -qe "$text" "$work/out" && return
	cat "$work/out"
	fail "$*: status $got, expected $status and '$text'"
}
