// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "mem/relocations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/bounds.h"
#include "lib/error.h"
#include "mem/adoptable.h"
#include "mem/relocator.h"

/* A limit of one relocation, so that threads that touch the memory do not wait for long. */
enum { RELOCATION_MAX = 64 << 20 };

/* Add a relocation that begins at AT, with all bytes up to the end of the heap's map. */
static struct xrdma_relocation *add_one(struct xrdma_pinned_range *pinned, __u64 at)
{
	struct xrdma_relocation *relocations =
		reallocarray(pinned->relocations, pinned->count + 1, sizeof(*relocations));
	const __u64 heap_at = pinned->at + (at - pinned->start);

	if (!relocations)
		return NULL;
	pinned->relocations = relocations;
	relocations += pinned->count++;
	*relocations = (struct xrdma_relocation){
		.at = (char *)at,
		.prot = PROT_READ | PROT_WRITE,
		.into = pinned->heap->bytes + heap_at,
	};
	relocations->size =
		xrdma_heap_arena(pinned->heap, heap_at, &relocations->fd, &relocations->fd_at);
	return relocations;
}

/* Add relocations for the pages of PINNED that are in MAPPING. */
static int add_all(struct xrdma_pinned_range *pinned, const struct xrdma_mapping *mapping)
{
	const __u64 end = xrdma_lesser(mapping->end, pinned->end);
	struct xrdma_relocation *relocation;
	bool of_file;
	size_t huge, max;
	int err = xrdma_adoptable(mapping, &of_file, &huge);

	if (err)
		return err;
	max = huge ?: of_file ? XRDMA_RELOCATION_OF_FILE_MAX : RELOCATION_MAX;
	for (__u64 at = xrdma_greater(mapping->start, pinned->start); at < end;
	     at += relocation->size) {
		relocation = add_one(pinned, at);
		if (!relocation)
			return xrdma_fail(ENOMEM, "no memory for records of registered memory");
		relocation->size = xrdma_lesser(relocation->size, xrdma_lesser(max, end - at));
		relocation->of_file = of_file;
		relocation->huge = huge;
	}
	return 0;
}

/* Widen PINNED to whole huge pages where it begins or ends in one. */
static int widen(struct xrdma_pinned_range *pinned, const struct xrdma_mapping *mapping)
{
	bool of_file;
	size_t huge;
	int err = xrdma_adoptable(mapping, &of_file, &huge);

	if (err || !huge)
		return err;
	if (pinned->start > mapping->start)
		pinned->start -= pinned->start % huge;
	if (pinned->end < mapping->end)
		pinned->end += -pinned->end % huge;
	pinned->align = xrdma_lesser(huge, XRDMA_HEAP_ELEMENT);
	return 0;
}

int xrdma_relocations_check(struct xrdma_pinned_range *pinned, const struct xrdma_mapping *mappings,
			    int count)
{
	__u64 at = pinned->start;
	int err = 0, i;

	for (i = 0; i < count && mappings[i].start <= at && !err; i++) {
		err = widen(pinned, &mappings[i]);
		at = mappings[i].end;
	}
	if (err || at >= pinned->end)
		return err;
	return xrdma_fail(EFAULT, "there is no memory at %#llx", at);
}

/* The lowest page of the stack is not pinned, because the kernel lets the stack grow from it. */
static void grow_stack(const struct xrdma_pinned_range *pinned, const struct xrdma_mapping *mapping)
{
	if (pinned->start <= mapping->start && !strcmp(mapping->name, "[stack]"))
		(void)*((volatile char *)mapping->start - 1);
}

int xrdma_relocations_add(struct xrdma_pinned_range *pinned, const struct xrdma_mapping *mappings,
			  int count)
{
	int err = 0;

	for (int i = 0; i < count && !err; i++)
		err = add_all(pinned, &mappings[i]);
	if (!err)
		grow_stack(pinned, &mappings[0]);
	return err;
}
