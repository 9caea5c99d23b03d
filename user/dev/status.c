// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Report the loaded devices. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dev/attach.h"
#include "dev/device.h"
#include "dev/program.h"
#include "dev/quiet.h"
#include "lib/attr.h"
#include "lib/error.h"
#include "net/netdev.h"
#include "dev/slot.h"

static const __u32 only_row;

/*
 * Returns an enum xrdma_device_state or -errno. When a netdev leaves the network namespace, the
 * kernel removes the program at tc.
 */
static int find_state(const char *name, const struct xrdma_device_row *row)
{
	struct xrdma_netdev netdev;
	__u64 here;
	int is, err = xrdma_netns_cookie(&here);

	if (err)
		return err;
	if (row->netns != here)
		return XRDMA_DEVICE_ELSEWHERE;
	is = xrdma_attached(name, row->ifindex, XRDMA_MODE_TC);
	if (is > 0 && xrdma_netdev_query(row->ifindex, &netdev) == -ENODEV)
		return XRDMA_DEVICE_ELSEWHERE;
	if (is > 0)
		is = xrdma_attached(name, row->ifindex, row->mode);
	if (is < 0)
		return xrdma_fail(-is, "cannot find out which programs are on %s: %s", name,
				  strerror(-is));
	return is ? XRDMA_DEVICE_ATTACHED : XRDMA_DEVICE_DETACHED;
}

/* Returns the number of contexts of device NAME that are alive, or -errno. */
static int count_contexts(const char *name)
{
	struct xrdma_slots slots;
	int err = xrdma_slots_open(&slots, name);
	__u32 alive, owner;

	if (err)
		return err;
	alive = xrdma_slots_alive(&slots, &owner);
	xrdma_slots_close(&slots);
	return alive;
}

/* Refresh the device's maps, which show the netdev as it was when it was last looked at. */
static void refresh(const char *name)
{
	struct xrdma_device device;

	if (xrdma_device_open(&device, name))
		return;
	xrdma_device_refresh(&device);
	xrdma_device_close(&device);
}

int xrdma_device_look(const char *name, struct xrdma_device_status *status)
{
	struct xrdma_device_status all = { 0 };
	struct xrdma_device_row row;
	int contexts = 0, state = XRDMA_DEVICE_FOREIGN, err;

	refresh(name);
	err = xrdma_device_read(name, &row);
	if (err && err != -EPROTO)
		return err;
	if (!err)
		contexts = count_contexts(name);
	if (contexts < 0)
		return contexts;
	if (!err)
		state = find_state(name, &row);
	if (state < 0)
		return state;
	strncpy(all.name, name, sizeof(all.name) - 1);
	all.abi_version = row.abi_version;
	all.state = state;
	if (!err) {
		all.ifindex = row.ifindex;
		all.mode = row.mode;
		all.reason = row.reason;
		all.contexts = contexts;
		all.addr_count = row.addr_count;
	}
	xrdma_attr_write(status, &all, sizeof(all));
	return 0;
}

int xrdma_device_query(const char *name, struct xrdma_device_status *status)
{
	int err = xrdma_attr_check(status, "xrdma_device_status"), lock;

	if (err)
		return err;
	lock = xrdma_device_lock(name, XRDMA_PIN_SHARED);
	if (lock < 0)
		return lock;
	xrdma_quiet_begin();
	err = xrdma_device_look(name, status);
	xrdma_quiet_end();
	xrdma_pin_unlock(lock);
	return err;
}

static int visit_addrs(const struct xrdma_device *device,
		       int (*visit)(const __be32 addr[4], void *arg), void *arg)
{
	struct xrdma_device_row row;
	__be32 addr[4];
	int err = bpf_map_lookup_elem(device->row, &only_row, &row), more;

	for (__u32 i = 0; !err && i < row.addr_count && i < XRDMA_ADDRS_MAX; i++)
		err = visit(row.addrs[i], arg);
	more = bpf_map_get_next_key(device->addrs, NULL, addr);
	for (; !err && !more; more = bpf_map_get_next_key(device->addrs, addr, addr))
		err = visit(addr, arg);
	return err;
}

int xrdma_device_each_addr(const char *name, int (*visit)(const __be32 addr[4], void *arg),
			   void *arg)
{
	int err, lock = xrdma_device_lock(name, XRDMA_PIN_SHARED);
	struct xrdma_device device;

	if (lock < 0)
		return lock;
	err = xrdma_device_open(&device, name);
	if (!err) {
		err = visit_addrs(&device, visit, arg);
		xrdma_device_close(&device);
	}
	xrdma_pin_unlock(lock);
	return err;
}

/* Visit the programs that run before those of the device NAME. The device is locked. */
static int visit_before(const char *name, const struct xrdma_program_visitor *visitor)
{
	struct xrdma_device_row row;
	int state, err = xrdma_device_read(name, &row);

	if (err)
		return err;
	state = find_state(name, &row);
	if (state != XRDMA_DEVICE_ATTACHED)
		return state < 0 ? state : 0;
	return xrdma_attach_each_before(name, row.ifindex, visitor);
}

int xrdma_device_each_before(const char *name,
			     int (*visit)(const struct xrdma_program_before *program, void *arg),
			     void *arg)
{
	const struct xrdma_program_visitor visitor = { visit, arg };
	int err, lock = xrdma_device_lock(name, XRDMA_PIN_SHARED);

	if (lock < 0)
		return lock;
	xrdma_quiet_begin();
	err = visit_before(name, &visitor);
	xrdma_quiet_end();
	xrdma_pin_unlock(lock);
	return err;
}

static int sum_counters(int fd, struct xrdma_counters *sum)
{
	enum { COUNT = sizeof(*sum) / sizeof(__u64) };
	int cpus = libbpf_num_possible_cpus(), err;
	__u64(*each)[COUNT] = calloc(cpus, sizeof(*each));

	if (!each)
		return -ENOMEM;
	memset(sum, 0, sizeof(*sum));
	err = bpf_map_lookup_elem(fd, &only_row, each);
	for (int cpu = 0; !err && cpu < cpus; cpu++)
		for (int i = 0; i < COUNT; i++)
			((__u64 *)sum)[i] += each[cpu][i];
	free(each);
	return err;
}

/* Read the counters of the device NAME, which is locked. */
static int read_counters(const char *name, struct xrdma_counters *counters)
{
	struct xrdma_device_row row;
	int fd, err = xrdma_device_read(name, &row);

	if (err)
		return err;
	fd = xrdma_pin_get(name, "xrdma_counters");
	if (fd < 0)
		return fd;
	err = sum_counters(fd, counters);
	close(fd);
	return err ? xrdma_fail(-err, "cannot read the counters of %s: %s", name, strerror(-err))
		   : 0;
}

int xrdma_device_counters(const char *name, struct xrdma_counters *counters, size_t sz)
{
	int err, lock;

	if (sz != sizeof(*counters))
		return xrdma_fail(EINVAL,
				  "the program has %zu bytes of counters, this libxrdma %zu: build "
				  "the program anew",
				  sz, sizeof(*counters));
	lock = xrdma_device_lock(name, XRDMA_PIN_SHARED);
	if (lock < 0)
		return lock;
	xrdma_quiet_begin();
	err = read_counters(name, counters);
	xrdma_quiet_end();
	xrdma_pin_unlock(lock);
	return err;
}

int xrdma_device_each(int (*visit)(const char *name, void *arg), void *arg)
{
	xrdma_device_follow_names();
	return xrdma_pin_each(visit, arg);
}
