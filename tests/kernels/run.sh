#!/usr/bin/env bash
# run.sh TEST...: run tests on KERNELS (default: 6.1 6.12 7) of Debian, emulated by QEMU, as many at
# a time as there are cores. 6.12:ARGUMENT is started with that kernel argument. A guest uses the
# host's root, read-only. At the end, a table of the results is printed. KERNEL_CACHE (default:
# ~/.cache/xrdma/kernels) keeps the kernels. GUEST_SECONDS (default 5400) is the time limit of a
# guest. GUEST_CPUS (default 1) is its number of CPUs; CPUs wait for each other if there are more
# than the machine has. Exit status 77: the kernels or QEMU are not available.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
kernels=${KERNELS:-6.1 6.12 7}
cache=${KERNEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xrdma/kernels}
tests=$*
[ -n "$tests" ] || { echo "no such test" && exit 1; }
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
command -v qemu-system-x86_64 >/dev/null || { echo "there is no qemu-system-x86_64" && exit 77; }

suite() { # KERNEL
	case ${1%%:*} in
	5.10) echo bullseye ;;
	6.1) echo bookworm ;;
	6.12) echo trixie ;;
	7) echo trixie-backports ;;
	*) echo "there is no kernel $1: 5.10, 6.1, 6.12, 7" >&2 && exit 2 ;;
	esac
}

boot() { # FOLDER INITRD ARGUMENT
	exec setpriv --pdeathsig TERM timeout --kill-after=5 "${GUEST_SECONDS:-5400}" qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
		-machine pc -cpu Nehalem,+pclmulqdq,+rdrand -accel tcg,thread=multi,tb-size=512 -m 1024 -smp "${GUEST_CPUS:-1}" \
		-kernel "$1/vmlinux" -initrd "$2" -serial stdio \
		-fsdev local,id=root,path=/,security_model=none,multidevs=remap,readonly=on \
		-device virtio-9p-pci,fsdev=root,mount_tag=root \
		-fsdev local,id=checkout,path="$PWD",security_model=none,multidevs=remap,readonly=on \
		-device virtio-9p-pci,fsdev=checkout,mount_tag=checkout \
		-append "console=ttyS0 quiet nokaslr mitigations=off tsc=reliable random.trust_cpu=on panic=-1 rdinit=/init $3 FOLDER=$PWD TESTS=${tests// /,}" \
		</dev/null
}

# Print the results of tests/run by kernel, and the last lines of load.sh and verify:
#   ok 1.5 s kernels/load.sh native alone tc link
#   ok 1.5 s kernels/verify xdp 300000 instructions 200 ms, tc 400000 instructions 300 ms
table() {
	awk '
	FNR == 1 { kernels[++count] = FILENAME; sub(".*/", "", kernels[count]); width[count] = length(kernels[count]) + 2 }
	$1 ~ /^(ok|FAIL|skip)$/ && $3 == "s" { set($4, $1 == "ok" ? $2 " s" : $1) }
	$1 == "ok" && $4 == "kernels/load.sh" { set($5, $6); set($7, $8) }
	$1 == "ok" && $4 == "kernels/verify" {
		set($5 " " $7, $6); set($5 " ms of the verifier", $8)
		set($10 " " $12, $11); set($10 " ms of the verifier", $13)
	}
	function set(row, value) {
		if (!seen[row]++) rows[++length_] = row
		cell[row, count] = value
	}
	END {
		printf "%-24s", "kernel"
		for (k = 1; k <= count; k++) printf "%*s", width[k] < 12 ? width[k] = 12 : width[k], kernels[k]
		for (r = 1; r <= length_; r++) {
			printf "\n%-24s", rows[r]
			for (k = 1; k <= count; k++) printf "%*s", width[k], cell[rows[r], k]
		}
		print ""
	}' "$@"
}

(cd tests/kernels && echo init | cpio --quiet --create --format=newc) >"$work/init"
for kernel in $kernels; do
	argument=${kernel#"${kernel%%:*}"}
	folder=$cache/$(suite "$kernel")
	cksum <tests/kernels/fetch.sh | cmp -s - "$folder/made" || tests/kernels/fetch.sh "$(suite "$kernel")" "$folder"
	[ "$(jobs -pr | wc -l)" -lt "$(nproc)" ] || wait -n || true
	cat "$folder/initrd" "$work/init" >"$work/$kernel.initrd"
	boot "$folder" "$work/$kernel.initrd" "${argument#:}" 2>&1 | sed -u 's/\r//g' | tee "$work/$kernel" |
		sed -u "s/^/$kernel  /" &
done
wait
failed=0
logs=()
for kernel in $kernels; do
	grep -qx 'status 0' "$work/$kernel" || failed=1
	logs+=("$work/$kernel")
done
table "${logs[@]}"
[ $failed = 0 ]
