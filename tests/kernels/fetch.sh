#!/usr/bin/env bash
# fetch.sh SUITE FOLDER: get the kernel of a Debian suite for a guest of QEMU. FOLDER/vmlinux is the
# kernel. FOLDER/initrd has the modules that the tests need. Its init loads them in order, and then
# changes to the root of the host. FOLDER/made has the checksum of this file. With exit status 77,
# one line says that Debian cannot be reached.
set -eu -o pipefail
suite=$1 folder=$2
modules=(virtio_pci 9p 9pnet_virtio veth dummy bridge tun sch_ingress sch_tbf cls_bpf 8021q macvlan bonding wireguard ipip crc32_generic ib_uverbs rdma_rxe)
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
	awk '$2 == "bookworm" { print $1; exit }')
[ -n "$mirror" ] || { echo "apt knows no Debian 12 archive"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists/partial,archives/partial,parts,debs,root,initrd/modules}
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$work/sources.list"
apt() { # TOOL ARGUMENT...: that knows this suite alone
	"$1" -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts="$work/parts" \
		-o Dir::State::Lists="$work/lists" -o Dir::Cache="$work" -o Dir::State::Status=/dev/null \
		-o APT::Sandbox::User=root "${@:2}"
}
apt apt-get update >"$work/log" 2>&1 || { echo "cannot reach $mirror"; exit 77; }

# Since version 7, the image, the modules and the lists of modules are separate packages.
packages=$(apt apt-cache depends --recurse --important linux-image-amd64 |
	grep -E '^linux-(base|image|binary|modules)-[0-9]')
(cd "$work/debs" && apt apt-get download $packages) >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$work/root"; done
[ ! -d "$work/root/lib" ] || cp -al "$work/root/lib" "$work/root/usr/" # the place in newer packages
release=$(cd "$work/root/usr/lib/modules" && echo *)
depmod -b "$work/root/usr" "$release"

# Extract the kernel itself, because decompressing it under emulation takes longer.
image=$(find "$work/root" -name 'vmlinuz*' | head -n 1)
unpack() { # MAGIC COMMAND...: what begins with these bytes
	local at
	for at in $(LC_ALL=C grep -aobP "$1" "$image" | cut -d : -f 1); do
		tail -c +$((at + 1)) "$image" | "${@:2}" 2>/dev/null >"$work/vmlinux" || true
		[ "$(head -c 4 "$work/vmlinux")" != $'\x7fELF' ] || return 0
	done
	return 1
}
unpack '\xfd7zXZ\x00' xz -dcq || unpack '\x28\xb5\x2f\xfd' zstd -dcq || { echo "$suite: what packs the kernel?"; exit 1; }

cp "$(command -v busybox)" "$work/initrd/"
for module in "${modules[@]}"; do
	[ $module != crc32_generic ] || find "$work/root" -name "$module.ko*" | grep -q . || continue # some lack it
	modprobe --dirname "$work/root/usr" --set-version "$release" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
	name=$(basename "$file")
	case $name in
	*.xz) xz -dc "$file" >"$work/initrd/modules/${name%.xz}" ;;
	*.zst) zstd -dcq "$file" >"$work/initrd/modules/${name%.zst}" ;;
	*) cp "$file" "$work/initrd/modules/" ;;
	esac
	name=${name%.xz}
	echo "${name%.zst}" >>"$work/initrd/order"
done
mkdir -p "$folder"
(cd "$work/initrd" && find . | cpio --quiet --create --format=newc) >"$folder/initrd"
mv "$work/vmlinux" "$folder/"
cksum <"$0" >"$folder/made"
