// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/adoptable.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "lib/bounds.h"
#include "lib/error.h"
#include "mem/relocator.h"

static int refuse(int err, const struct xrdma_mapping *mapping, const char *why)
{
	return xrdma_fail(err, "memory in the mapping %llx-%llx %s %s cannot be registered: %s",
			  mapping->start, mapping->end, mapping->flags,
			  *mapping->name ? mapping->name : "(anonymous)", why);
}

/* A segment of OBJECT that the process has written, or may. */
static int holds_data(struct dl_phdr_info *object, size_t size, void *of)
{
	const struct xrdma_mapping *mapping = of;
	const __u64 in_page = sysconf(_SC_PAGESIZE) - 1;
	bool held = false;

	(void)size;
	for (int i = 0; i < object->dlpi_phnum && !held; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		__u64 start = object->dlpi_addr + segment->p_vaddr;
		__u64 end = start + segment->p_memsz;

		held = segment->p_type == PT_LOAD && segment->p_flags & PF_W &&
		       mapping->start >= (start & ~in_page) &&
		       mapping->end <= ((end + in_page) & ~in_page);
	}
	return held;
}

int xrdma_adoptable(const struct xrdma_mapping *mapping, bool *of_file, size_t *huge)
{
	*of_file = false;
	*huge = 0;
	if (strncmp(mapping->flags, "rw", 2))
		return refuse(EFAULT, mapping, "it must be readable and writable");
	if (mapping->flags[2] == 'x')
		return refuse(EOPNOTSUPP, mapping, "it is executable");
	if (mapping->flags[3] != 'p')
		return refuse(EOPNOTSUPP, mapping, "it is shared");
	if (!mapping->inode)
		return 0;
	*of_file = true;
	if (!strncmp(mapping->name, "/anon_hugepage", strlen("/anon_hugepage"))) {
		*huge = xrdma_mapping_page_size(mapping);
		if (!*huge)
			return refuse(EOPNOTSUPP, mapping, "the size of its pages cannot be read");
	}
	if (*huge > XRDMA_RELOCATION_OF_FILE_MAX)
		return refuse(EOPNOTSUPP, mapping, "it has pages of more than 2 MiB");
	if (!*huge && !dl_iterate_phdr(holds_data, (void *)mapping))
		return refuse(EOPNOTSUPP, mapping, "it is of a file");
	return 0;
}

static bool is_left_out(const struct xrdma_mapping *mapping, bool adoptable_only)
{
	bool of_file;
	size_t huge;

	return xrdma_mapping_is_reserved(mapping) ||
	       (adoptable_only && xrdma_adoptable(mapping, &of_file, &huge));
}

void xrdma_adoptable_find(const struct xrdma_mapping *mappings, int count, bool adoptable_only,
			  __u64 *at, __u64 *end)
{
	const struct xrdma_mapping *const last = mappings + count;
	__u64 there;

	while (mappings < last && mappings->start < *end &&
	       (mappings->end <= *at || is_left_out(mappings, adoptable_only)))
		mappings++;
	there = mappings < last ? xrdma_greater(*at, mappings->start) : *end;
	*at = xrdma_lesser(there, *end);
	for (; mappings < last && mappings->start <= there && there < *end &&
	       !is_left_out(mappings, adoptable_only);
	     mappings++)
		there = mappings->end;
	*end = xrdma_lesser(there, *end);
}
