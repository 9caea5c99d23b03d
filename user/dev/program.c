// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/program.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

__u32 xrdma_program_id(int program)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(program, &info, &len) ? 0 : info.id;
}

__u32 xrdma_program_device_map(int map)
{
	static const char name[] = "xrdma_device";
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);

	return !bpf_obj_get_info_by_fd(map, &info, &len) && !strcmp(info.name, name) ? info.id : 0;
}

int xrdma_program_device(int program, __u32 *map)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info), ids[64];
	const __u32 most = sizeof(ids) / sizeof(ids[0]);

	info.nr_map_ids = most;
	info.map_ids = (uintptr_t)ids;
	*map = 0;
	if (bpf_obj_get_info_by_fd(program, &info, &len))
		return -errno;
	for (__u32 i = 0; !*map && i < info.nr_map_ids && i < most; i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);

		if (fd < 0)
			return -errno;
		*map = xrdma_program_device_map(fd);
		close(fd);
	}
	return 0;
}

int xrdma_program_report(const struct xrdma_program_visitor *visitor, enum xrdma_hook hook,
			 const char *netdev, __u32 id)
{
	struct xrdma_program_before before = { .netdev = netdev, .hook = hook, .id = id };
	int program = bpf_prog_get_fd_by_id(id), err;
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	if (program < 0)
		return 0;
	err = bpf_obj_get_info_by_fd(program, &info, &len);
	close(program);
	before.name = info.name;
	return err ? 0 : visitor->visit(&before, visitor->arg);
}
