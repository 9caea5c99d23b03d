// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "net/rdma.h"

#include <glob.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

static bool names(const char *path, const char *netdev)
{
	char name[IF_NAMESIZE + 1] = { 0 };
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file)) /* a GID that is not set cannot be read */
		name[0] = 0;
	fclose(file);
	name[strcspn(name, "\n")] = 0;
	return !strcmp(name, netdev);
}

/*
 * Compare NETDEV with the netdev of each GID of each port
 * (Documentation/ABI/stable/sysfs-class-infiniband); a VLAN's GIDs have the VLAN.
 */
bool xrdma_rdma_has(const char *netdev)
{
	glob_t found;
	bool has = false;

	if (glob("/sys/class/infiniband/*/ports/*/gid_attrs/ndevs/*", GLOB_NOSORT, NULL, &found))
		return false;
	for (size_t i = 0; !has && i < found.gl_pathc; i++)
		has = names(found.gl_pathv[i], netdev);
	globfree(&found);
	return has;
}
