#!/usr/bin/env bash
# make install puts each file in the right place, and the README's program can be built from these,
# as the README says.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
fail() { echo "$*"; exit 1; }

# Files are installed below DESTDIR, each kind in a folder of its own. uninstall removes them all.
places="DESTDIR=$work/root PREFIX=/usr BINDIR=/bin LIBDIR=/usr/lib64 INCLUDEDIR=/opt/include"
make --no-print-directory install $places
files() { find "$work/root" ! -type d -printf '/%P\n' | sort; }
diff <(files) <(sort <<-END
	/bin/xrdma
	/usr/lib64/libxrdma.a
	/usr/lib64/libxrdma.so
	/usr/lib64/libxrdma.so.0
	/usr/lib64/libxrdma.so.0.1.0
	/usr/lib64/pkgconfig/xrdma.pc
	$(cd include && find xrdma -type f -printf '/opt/include/%p\n')
	$(find build/man3 -type f -printf '/usr/share/man/man3/%P\n')
	$(find docs/man -name '*.8' -printf '/usr/share/man/man8/%P\n')
END
) || fail "these files are installed"
pc() { pkg-config --with-path="$work/root/usr/lib64/pkgconfig" --variable="$1" xrdma; }
[ "$(pc prefix) $(pc libdir) $(pc includedir)" = "/usr /usr/lib64 /opt/include" ] || fail "xrdma.pc says other folders"
[ -r "$work/root/usr/lib64/libxrdma.so" ] || fail "libxrdma.so leads nowhere"
make --no-print-directory uninstall $places
[ -z "$(files)" ] || fail "left: $(files)"
[ ! -e "$work/root/opt/include/xrdma" ] || fail "the headers' folder is left"

make --no-print-directory install PREFIX="$prefix"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
sed -n '/^```c$/,/^```$/ { /^```/d; p }' README.md >"$work/first.c"

# built TEXT: build the program by the README's command that contains TEXT
built() {
	local command
	command=$(sed -n "/^    cc .*$1/ { s/ *#.*//; p }" README.md)
	[ -n "$command" ] || fail "README.md: no command '$1'"
	(cd "$work" && eval "$command")
}

# The program's message about a folder that is not a BPF file system comes from the library.
runs() {
	local output
	! output=$(XRDMA_BPFFS=$work "$work/first" any 2>&1) || fail "opens a device that there is not"
	[[ $output == "$work is not a BPF file system"* ]] || fail "says: $output"
}

built 'cflags --libs xrdma'
readelf --dynamic "$work/first" | grep -q 'NEEDED.*\[libxrdma\.so\.0\]' || fail "is not linked to libxrdma.so.0"
! readelf --dynamic "$work/first" | grep -q 'NEEDED.*lib\(xdp\|bpf\|mnl\)' || fail "is linked to more"
LD_LIBRARY_PATH=$prefix/lib runs

built 'variable=static'
! readelf --dynamic "$work/first" | grep -q 'NEEDED.*libxrdma' || fail "is not linked statically"
runs

[ "$("$prefix/bin/xrdma" --version)" = "xrdma $(pkg-config --modversion xrdma)" ] || fail "the tool's version"
echo "dynamically and statically"
