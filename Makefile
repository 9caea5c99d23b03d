# xrdma: a RoCE v2 NIC in XDP. Targets: deps all install uninstall demo check unit prog net kernels
# interop bench format formatted clean. V=1 shows the commands. ONLY="rc qp" selects tests by name.

PACKAGES := bpftool build-essential check clang clang-format debootstrap ethtool iproute2 iputils-ping libbpf-dev \
	libdeflate-dev libelf-dev libibverbs-dev libisal-dev libjson-c-dev libmnl-dev libpcap-dev libssl-dev libxdp-dev \
	jq libbsd-dev mandoc nftables pkg-config tshark wireguard-tools zlib1g-dev
INTEROP_PACKAGES := bc bison busybox-static cpio flex kmod xz-utils zstd
KERNEL_PACKAGES := busybox-static cpio ibverbs-providers kmod qemu-system-x86 xz-utils zstd

# Use as many jobs as there are cores, unless the command line gives a number.
ifeq ($(MAKELEVEL)$(findstring -j,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

# Version of the library. Files are installed below $(DESTDIR)$(PREFIX).
VERSION := 0.1.0
MAN_DATE := November 30, 2026
SONAME := libxrdma.so.$(firstword $(subst ., ,$(VERSION)))
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man

BUILD := build
BPF_OUT := build/bpf
CFLAGS ?= -O2 -g
SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -DXRDMA_CHECK_LOCKS
SANITIZE_THREADS := -O1 -g -fsanitize=thread -Wno-tsan -DXRDMA_CHECK_LOCKS
WARNINGS := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes $(WERROR)
CPPFLAGS += -I$(BPF_OUT) -Iinclude -Ibpf -Iuser -Itests -D_GNU_SOURCE
USER_CFLAGS = -std=gnu11 $(WARNINGS) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

# The machine's name in libbpf's headers. bpf/lib/order.h needs it.
ARCH := $(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(shell uname -m)))

# Headers of the kernel's user-space API. clang does not find them by itself when it builds for BPF.
BPF_CFLAGS = -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) -Wall -Wextra $(WERROR) -Iinclude -Ibpf \
	-I/usr/include/$(shell $(CC) -print-multiarch) -MMD -MP

LIBS := -lxdp -lbpf -ldeflate -lmnl -lisal -lcrypto
TOOL_LIBS := -ljson-c -lpcap -lz
TEST_LIBS = $(shell pkg-config --libs check) -libverbs $(TOOL_LIBS)
SUPPORT_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/support/*.c))
HOOK_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard user/hook/*.c))
LIB_OBJS := $(filter-out $(HOOK_OBJS),$(patsubst %.c,$(BUILD)/%.o,$(wildcard user/*/*.c)))
TOOL_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tools/*.c))
BENCH_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out %.bpf.c,$(wildcard bench/*.c)))
BENCH_SUPPORT := tests/support/packet tests/support/target tests/support/netns examples/endpoint
EXAMPLES := $(addprefix $(BUILD)/examples/,write/target write/writer anymem mailbox pingpong counter window matrix vault kv/store kv/client server/server server/clients)

# Programs that are linked with the shared library, like programs of users.
SHARED_PROGRAMS := $(BUILD)/tests/shared/model $(filter-out %/peer_view,$(patsubst %.c,$(BUILD)/%,$(wildcard tests/shared/*.c)))

# The model test is linked with the shared library. With sanitizers, it is linked with the static
# one.
MODEL_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/model/*.c))

# Both ends of tests/interop/matrix.sh.
MATRIX := $(addprefix $(BUILD)/tests/interop/matrix/,matrix peer)

# Folders of tests/ that check runs. TESTS=unit selects those without privileges. The scripts of
# tests/net run the programs there; a subfolder has the programs that one script runs together. The
# scripts use the library and the tool that are built for users. The programs of tests/prog run the
# XDP program. Linked with tests/tc/hook.c, they run the program for tc ingress, like the others of
# tests/tc. The program "together" contains nearly all of the tests, so that each of the two BPF
# programs is loaded only once. Tests that need captures are separate programs. With ONLY, each file
# is a program, without coverage.c, which counts the cases of all files.
TESTS ?= unit prog net
PROG := $(filter-out coverage,$(patsubst tests/prog/%.c,%,$(wildcard tests/prog/*.c)))
PROG_APART := mutated replay
PROG_TOGETHER := coverage $(filter-out $(PROG_APART),$(PROG))
TC_ALONE := $(filter-out hook,$(patsubst tests/tc/%.c,%,$(wildcard tests/tc/*.c)))
PROG_PROGRAMS := $(if $(ONLY),$(addprefix tests/prog/,$(PROG)) $(addprefix tests/tc/,$(PROG) $(TC_ALONE)), \
	$(foreach name,together $(PROG_APART),tests/prog/$(name) tests/tc/$(name)))
TEST_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(filter-out %.bpf.c,$(wildcard $(foreach folder,$(filter-out prog,$(TESTS)),tests/$(folder)/*.c tests/$(folder)/*/*.c)))) \
	$(if $(filter prog,$(TESTS)),$(addprefix $(BUILD)/,$(PROG_PROGRAMS))) \
	$(if $(filter net,$(TESTS)),$(BUILD)/tests/net/model)
BUILT_FOR_unit := $(BUILD)/xrdma $(BUILD)/libxrdma.a $(BUILD)/$(SONAME) $(BUILD)/man3
NET_BPF := $(BPF_OUT)/chaos.bpf.o $(BPF_OUT)/one_id.bpf.o
BUILT_FOR_net := all $(BUILD)/bench/bench $(SHARED_PROGRAMS) $(NET_BPF)
CHECKS := $(patsubst %.c,$(BUILD)/san/%,$(wildcard $(patsubst %,tests/%/*.c,$(filter unit,$(TESTS))))) \
	$(if $(filter prog,$(TESTS)),$(addprefix $(BUILD)/san/,$(PROG_PROGRAMS))) \
	$(wildcard $(TESTS:%=tests/%/*.sh))
named = $(if $(ONLY),$(foreach check,$(1),$(if $(filter $(ONLY),$(basename $(notdir $(check)))),$(check))),$(1))

# Tests on Debian's KERNELS. Sanitized programs and benchmarks are left out, because they take too
# long under emulation. Kernels that lack something are for tests/kernels/lacking.sh.
KERNELS := 6.1 6.12 7
KERNEL_CHECKS := tests/kernels/load.sh $(BUILD)/tests/kernels/verify $(addprefix $(BUILD)/,$(PROG_PROGRAMS)) \
	$(filter-out tests/net/bench.sh,$(wildcard tests/net/*.sh tests/interop/*.sh))
programs_of = $(filter $(BUILD)/%,$(1)) $(if $(filter tests/net/%,$(1)),$(SHARED_PROGRAMS) $(BUILD)/tests/net/model $(NET_BPF)) \
	$(if $(filter tests/interop/matrix.sh,$(1)),$(MATRIX)) \
	$(patsubst %.c,$(BUILD)/%,$(filter-out %.bpf.c tests/interop/matrix/%,$(wildcard $(foreach folder,$(sort $(dir $(filter %.sh,$(1)))),$(folder)*.c $(folder)*/*.c))))
LACKING_KERNELS := 5.10 6.12:lockdown=confidentiality 6.12:module_blacklist=veth
on_kernels = $(if $(strip $(2)),KERNELS="$(1)" tests/kernels/run.sh $(2) || { [ $$? = 77 ] && echo "skipped: kernels"; })

# Subfolders in the order of their layers.
LAYERS_user := lib xform net dev mem obj key queue run cm hook
LAYERS_bpf := lib wire obj arrive memory responder,requester

# Headers that are compiled alone: the public ones in C and C++, and those that the program and the
# library share. The contract between the XDP programs and the library consists of
# include/xrdma/abi/ and of headers of the library that it includes.
HEADERS := $(wildcard include/xrdma/*.h include/xrdma/abi/*.h)
ABI_HEADERS := $(wildcard include/xrdma/abi/*.h) $(addprefix include/xrdma/,counters.h device.h opcode.h types.h verdict.h)
SHARED_HEADERS := $(filter-out %.bpf.h,$(wildcard bpf/*/*.h))
HEADER_CHECKS := $(foreach h,$(HEADERS:include/xrdma/%.h=%),$(BUILD)/headers/$(h).c11 $(BUILD)/headers/$(h).c++17) \
	$(SHARED_HEADERS:%.h=$(BUILD)/headers/%.gnu11)
SOURCES = $(shell git ls-files '*.[ch]')

.DELETE_ON_ERROR:
.PHONY: all bench c-tests check clean demo deps format formatted install interop kernels net prog uninstall unit
.SECONDARY:

all: $(BUILD)/libxrdma.a $(BUILD)/$(SONAME) $(BUILD)/xrdma $(BUILD)/man3 $(EXAMPLES) $(HEADER_CHECKS) $(BUILD)/layers.user \
	$(BUILD)/layers.bpf $(BUILD)/tags $(BUILD)/exports $(BUILD)/headers/xrdma.arm64.o $(BUILD)/headers/xrdma_tc.arm64.o $(BUILD)/headers/probe.arm64.o

# Use the network only if a package is missing.
deps:
	@dpkg-query -W -f '$${db:Status-Status}\n' $(PACKAGES) 2>&1 | grep -qv '^installed$$' || exit 0; \
	export DEBIAN_FRONTEND=noninteractive; \
	apt-get update -qq && apt-get install -y -qq --no-install-recommends $(PACKAGES)

check: built = $(foreach folder,$(TESTS),$(BUILT_FOR_$(folder)))
check: deps
	$(Q)$(if $(built),$(MAKE) --no-print-directory $(built))
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/san CFLAGS='$(SANITIZE)' c-tests
	$(Q)$(if $(filter net,$(TESTS)),$(MAKE) --no-print-directory BUILD=$(BUILD)/tsan CFLAGS='$(SANITIZE_THREADS)' \
		$(addprefix $(BUILD)/tsan/tests/net/,two_hosts/threads two_hosts/threads_mkey rc/eq))
	$(Q)TIMES=$(BUILD)/times tests/run $(call named,$(CHECKS))

# Parts of check, for development.
unit prog net:
	$(Q)$(MAKE) --no-print-directory check TESTS=$@

# Run tests on emulated kernels of Debian: KERNELS="6.1 6.12 7". If they are not available, print
# that and succeed.
kernels: deps
	$(Q)$(MAKE) --no-print-directory deps PACKAGES='$(KERNEL_PACKAGES)' || echo "what runs other kernels cannot be had"
	$(Q)$(MAKE) --no-print-directory all $(call programs_of,$(call named,$(KERNEL_CHECKS)))
	$(Q)$(call on_kernels,$(KERNELS),$(call named,$(KERNEL_CHECKS)))
	$(Q)$(call on_kernels,$(LACKING_KERNELS),$(call named,tests/kernels/lacking.sh))

# Run each operation between xrdma and a live Soft-RoCE. ONLY="READ IPv6" selects trials by name. If
# there is no Soft-RoCE, print that and succeed.
interop: deps
	$(Q)$(MAKE) --no-print-directory deps PACKAGES='$(INTEROP_PACKAGES)' || echo "what builds a Soft-RoCE cannot be had"
	$(Q)$(MAKE) --no-print-directory all $(MATRIX)
	$(Q)tests/interop/matrix/make_guest.sh && TEST_SECONDS=3600 tests/interop/matrix.sh $(ONLY) || [ $$? = 77 ]

# Demonstrate an RDMA WRITE into a stopped process, in new network namespaces.
demo: deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)examples/write/demo.sh

# Print a table of figures, and write it to build/bench.json. With AGAINST=COMMIT, the table
# compares the XDP program with that of COMMIT. NAMES selects other figures, and ROUNDS sets the
# number of rounds (bench/against.sh).
bench: deps
	$(Q)$(MAKE) --no-print-directory all $(BUILD)/bench/bench
	$(Q)$(if $(AGAINST),bench/against.sh $(AGAINST) $(or $(ROUNDS),10) $(NAMES),bench/run.sh $(BUILD)/bench.json)

INSTALLED = $(BINDIR)/xrdma $(LIBDIR)/libxrdma.a $(LIBDIR)/libxrdma.so $(LIBDIR)/$(SONAME) \
	$(LIBDIR)/libxrdma.so.$(VERSION) $(LIBDIR)/pkgconfig/xrdma.pc $(HEADERS:include/%=$(INCLUDEDIR)/%) \
	$(patsubst docs/man/%,$(MANDIR)/man8/%,$(wildcard docs/man/*.8))

install: $(BUILD)/xrdma $(BUILD)/libxrdma.a $(BUILD)/$(SONAME) $(BUILD)/man3
	$(Q)install -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBDIR)/pkgconfig $(INCLUDEDIR)/xrdma/abi $(MANDIR)/man3 $(MANDIR)/man8)
	$(Q)install $(BUILD)/xrdma $(DESTDIR)$(BINDIR)
	$(Q)install -m 644 $(BUILD)/libxrdma.a $(DESTDIR)$(LIBDIR)
	$(Q)install -m 644 $(BUILD)/$(SONAME) $(DESTDIR)$(LIBDIR)/libxrdma.so.$(VERSION)
	$(Q)ln -sf libxrdma.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	$(Q)ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libxrdma.so
	$(Q)sed 's,@VERSION@,$(VERSION),; s,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(LIBDIR),; s,@INCLUDEDIR@,$(INCLUDEDIR),; s,@LIBS@,$(LIBS),' \
		user/xrdma.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/xrdma.pc
	$(Q)install -m 644 $(wildcard include/xrdma/*.h) $(DESTDIR)$(INCLUDEDIR)/xrdma
	$(Q)install -m 644 $(wildcard include/xrdma/abi/*.h) $(DESTDIR)$(INCLUDEDIR)/xrdma/abi
	$(Q)install -m 644 $(BUILD)/man3/*.3 $(DESTDIR)$(MANDIR)/man3
	$(Q)install -m 644 docs/man/*.8 $(DESTDIR)$(MANDIR)/man8

# Use the same DESTDIR, PREFIX and so on as for install.
uninstall: $(BUILD)/man3
	$(Q)rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	$(Q)cd $(BUILD)/man3 && for page in *; do rm -f "$(DESTDIR)$(MANDIR)/man3/$$page"; done
	$(Q)for folder in xrdma/abi xrdma; do \
		[ ! -d $(DESTDIR)$(INCLUDEDIR)/$$folder ] || rmdir --ignore-fail-on-non-empty $(DESTDIR)$(INCLUDEDIR)/$$folder; done

# Manual pages of section 3, made from the comments of the public headers.
$(BUILD)/man3: docs/man/section3.pl $(wildcard include/xrdma/*.h)
	$(call say,MAN,$@)
	$(Q)rm -rf $@ && mkdir -p $@
	$(Q)perl $< $@ '$(MAN_DATE)' $(filter %.h,$^)

c-tests: $(TEST_PROGRAMS)

format:
	clang-format -i $(SOURCES)

# Tables that clang-format leaves alone must have at most 100 columns, too.
formatted:
	$(Q)clang-format --dry-run -Werror $(SOURCES)
	$(Q)! expand $(SOURCES) | grep -nE '^.{101}'

clean:
	rm -rf $(BUILD)

$(BUILD)/libxrdma.a: $(LIB_OBJS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/$(SONAME): $(LIB_OBJS) $(HOOK_OBJS) user/libxrdma.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-soname,$(SONAME) -Wl,--version-script=user/libxrdma.map \
		-Wl,--no-undefined-version -Wl,-z,defs -Wl,-z,nodelete $(LIB_OBJS) $(HOOK_OBJS) $(LIBS) -o $@

$(BUILD)/xrdma: $(TOOL_OBJS) $(BUILD)/libxrdma.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) $(TOOL_LIBS) -o $@

$(BUILD)/tools/main.o: CPPFLAGS += -DVERSION='"$(VERSION)"'

# The compiler fills uninitialized local variables with bytes that are not 0. So
# tests/net/examples.sh detects an example that prints such a variable.
$(BUILD)/examples/%.o: private CPPFLAGS += -ftrivial-auto-var-init=pattern

$(BUILD)/examples/%: $(BUILD)/examples/%.o $(BUILD)/examples/endpoint.o $(BUILD)/libxrdma.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

$(BUILD)/tests/interop/matrix/matrix: $(addprefix $(BUILD)/tests/interop/matrix/,matrix.o ours.o step.o trial.o link.o loss.o) \
		$(BUILD)/tests/support/netns.o $(BUILD)/libxrdma.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

$(BUILD)/tests/interop/matrix/peer: $(addprefix $(BUILD)/tests/interop/matrix/,peer.o step.o trial.o link.o)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -libverbs -o $@

$(BUILD)/bench/bench: $(BENCH_OBJS) $(BENCH_SUPPORT:%=$(BUILD)/%.o) $(BUILD)/libxrdma.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) $(TOOL_LIBS) -o $@

vpath %.bpf.c bpf bench tests/interop/matrix tests/net

$(BPF_OUT)/%.bpf.o: %.bpf.c
	$(call say,CLANG,$@)
	$(Q)mkdir -p $(@D)
	$(Q)clang $(BPF_CFLAGS) -c $< -o $@

# The version of the contract is a hash of its headers.
$(BPF_OUT)/abi_version.h: $(ABI_HEADERS)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)printf '#define XRDMA_ABI_VERSION 0x%.8sU\n' "$$(cat $^ | sha256sum)" >$@

$(BPF_OUT)/%.skel.h: $(BPF_OUT)/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)bpftool gen skeleton $< name $*_bpf >$@

$(BUILD)/%.o: %.c | $(BPF_OUT)/xrdma.skel.h $(BPF_OUT)/xrdma_tc.skel.h $(BPF_OUT)/probe.skel.h $(BPF_OUT)/empty.skel.h $(BPF_OUT)/loss.skel.h $(BPF_OUT)/abi_version.h
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(USER_CFLAGS) -c $< -o $@

$(BUILD)/support.a: $(SUPPORT_OBJS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/tests/unit/segments: $(BUILD)/tools/segments.o
$(BUILD)/tests/unit/spread: $(BUILD)/tools/spread.o
$(BUILD)/tests/net/perf: $(BUILD)/tools/perf.o
$(BUILD)/tests/net/traffic: $(BUILD)/examples/endpoint.o

$(BUILD)/tests/net/model: $(MODEL_OBJS) $(BUILD)/support.a $(BUILD)/libxrdma.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) $(TEST_LIBS) -o $@

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/support.a $(BUILD)/libxrdma.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(TEST_LIBS) -o $@

$(BUILD)/tests/tc/%: $(BUILD)/tests/prog/%.o $(BUILD)/tests/tc/hook.o $(BUILD)/support.a $(BUILD)/libxrdma.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) $(TEST_LIBS) -o $@

$(addprefix $(BUILD)/tests/tc/,$(TC_ALONE)): $(BUILD)/tests/tc/hook.o
$(BUILD)/tests/tc/together: $(BUILD)/tests/tc/hook.o $(TC_ALONE:%=$(BUILD)/tests/tc/%.o)
$(BUILD)/tests/prog/together $(BUILD)/tests/tc/together: $(PROG_TOGETHER:%=$(BUILD)/tests/prog/%.o) $(BUILD)/support.a $(BUILD)/libxrdma.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(TEST_LIBS) -o $@

$(BUILD)/tests/shared/model: $(MODEL_OBJS)
$(filter-out %/model,$(SHARED_PROGRAMS)): %: %.o $(BUILD)/tests/shared/peer_view.o
$(SHARED_PROGRAMS): $(BUILD)/support.a $(BUILD)/$(SONAME)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/../..' $(filter %.o,$^) $(filter-out %.o,$^) $(shell pkg-config --libs check) -o $@

# Compile each public header alone, in C11 and in C++17.
$(BUILD)/headers/%.c11: include/xrdma/%.h
	$(call say,CHECK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -pedantic $(WARNINGS) -Iinclude -fsyntax-only -x c $< && touch $@

$(BUILD)/headers/%.c++17: include/xrdma/%.h
	$(call say,CHECK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 -pedantic -Wall -Wextra $(WERROR) -Iinclude -fsyntax-only -x c++ $< && touch $@

# Compile a header of both sides alone in user space. Its functions are static, and some are not
# used.
$(BUILD)/headers/bpf/%.gnu11: bpf/%.h
	$(call say,CHECK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 $(WARNINGS) -Iinclude -Ibpf -fsyntax-only -x c $< && touch $@

# Check that a type's tag has only one meaning, in the kernel and in user space.
TAG_FOLDERS := bpf include tools user
$(BUILD)/tags: tests/support/tags.sh $(wildcard $(TAG_FOLDERS:%=%/*.[ch]) $(TAG_FOLDERS:%=%/*/*.[ch]))
	$(call say,CHECK,$@)
	$(Q)tests/support/tags.sh $(TAG_FOLDERS) && touch $@

$(BUILD)/layers.%: tests/support/layers.sh $(wildcard bpf/*/*.h user/*/*.[ch])
	$(call say,CHECK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)tests/support/layers.sh $* $(LAYERS_$*) && touch $@

# Check that the shared library exports only the functions of the public headers, and its hooks.
$(BUILD)/exports: tests/support/exports.sh $(BUILD)/$(SONAME) $(HEADERS) $(wildcard user/hook/*.c)
	$(call say,CHECK,$@)
	$(Q)$^ && touch $@

# Build the programs for a machine with weak memory order, too.
$(BUILD)/headers/%.arm64.o: bpf/%.bpf.c
	$(call say,CHECK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)clang $(patsubst -D__TARGET_ARCH_%,-D__TARGET_ARCH_arm64,$(BPF_CFLAGS)) -c $< -o $@

-include $(sort $(shell find $(BUILD) $(BPF_OUT) -name '*.d' 2>/dev/null))
