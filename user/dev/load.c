// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "dev/load.h"

#include <errno.h>
#include <string.h>

#include "xrdma.skel.h"
#include "xrdma_tc.skel.h"

enum { CRC32_POLYNOMIAL = 0xedb88320, CRC_TABLES = 8 };

/* Fill tables[k][b] with the CRC-32 of byte b and k zero bytes. */
static void fill_crc_tables(volatile __u32 tables[CRC_TABLES][256])
{
	__u32 crc;

	for (int byte = 0; byte < 256; byte++) {
		crc = byte;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? CRC32_POLYNOMIAL : 0);
		tables[0][byte] = crc;
	}
	for (int k = 1; k < CRC_TABLES; k++)
		for (int byte = 0; byte < 256; byte++) {
			crc = tables[k - 1][byte];
			tables[k][byte] = crc >> 8 ^ tables[0][crc & 0xff];
		}
}

int xrdma_open(struct xrdma_bpf **bpf)
{
	int err;

	*bpf = xrdma_bpf__open();
	if (!*bpf)
		return -errno;
	fill_crc_tables((*bpf)->rodata->xrdma_crc_tables);
	err = bpf_map__set_max_entries((*bpf)->maps.xrdma_epochs, libbpf_num_possible_cpus());
	if (!err)
		return 0;
	xrdma_bpf__destroy(*bpf);
	return err;
}

/*
 * Let both programs use the same maps. Maps of one program alone, such as its constants, are not
 * shared.
 */
static int share_maps(const struct xrdma_bpf *from, const struct bpf_object *to)
{
	struct bpf_map *map;
	int err = 0, fd;

	bpf_object__for_each_map(map, to)
	{
		const char *name = bpf_map__name(map);

		fd = strchr(name, '.') ? -1 : bpf_object__find_map_fd_by_name(from->obj, name);
		if (!err && fd >= 0)
			err = bpf_map__reuse_fd(map, fd);
	}
	return err;
}

int xrdma_open_xdp(const struct xrdma_bpf *maps, struct xrdma_bpf **xdp)
{
	struct bpf_program *program;
	int err = xrdma_open(xdp);

	if (err)
		return err;
	bpf_object__for_each_program(program, (*xdp)->obj)
		bpf_program__set_autoload(program, program == (*xdp)->progs.xrdma);
	err = share_maps(maps, (*xdp)->obj);
	if (err)
		xrdma_bpf__destroy(*xdp);
	return err;
}

int xrdma_load_maps(struct xrdma_bpf **maps)
{
	int err = xrdma_open(maps);

	if (err)
		return err;
	bpf_program__set_autoload((*maps)->progs.xrdma, false);
	err = xrdma_bpf__load(*maps);
	if (err)
		xrdma_bpf__destroy(*maps);
	return err;
}

int xrdma_open_tc(const struct xrdma_bpf *maps, const struct xrdma_tc_settings *settings,
		  struct xrdma_tc_bpf **tc)
{
	int err;

	*tc = xrdma_tc_bpf__open();
	if (!*tc)
		return -errno;
	fill_crc_tables((*tc)->rodata->xrdma_crc_tables);
	(*tc)->rodata->xrdma_local = settings->local;
	(*tc)->rodata->xrdma_is_behind = settings->is_behind;
	(*tc)->rodata->xrdma_yields = settings->yields;
	err = share_maps(maps, (*tc)->obj);
	if (err)
		xrdma_tc_bpf__destroy(*tc);
	return err;
}

int xrdma_load_tc(const struct xrdma_bpf *maps, const struct xrdma_tc_settings *settings,
		  struct xrdma_tc_bpf **tc)
{
	int err = xrdma_open_tc(maps, settings, tc);

	if (err)
		return err;
	err = xrdma_tc_bpf__load(*tc);
	if (err)
		xrdma_tc_bpf__destroy(*tc);
	return err;
}

int xrdma_load(struct xrdma_bpf **bpf)
{
	int err = xrdma_open(bpf);

	if (err)
		return err;
	err = xrdma_bpf__load(*bpf);
	if (err)
		xrdma_bpf__destroy(*bpf);
	return err;
}
