/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The mappings of the calling process, as proc(5) lists them. Not thread safe: the caller holds a
 * lock.
 *
 * The files stay open, so that a process that has used all its file descriptors can still read
 * them. They are files of a thread: those of /proc/self are empty once main() has ended by
 * pthread_exit(3).
 */
#ifndef XRDMA_USER_MEM_MAPPINGS_H
#define XRDMA_USER_MEM_MAPPINGS_H

#include <linux/types.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

struct xrdma_mapping {
	__u64 start, end; /* addresses */
	__u64 offset;	  /* in the file, bytes */
	__u64 inode;	  /* 0: not of a file */
	__u64 page_size;  /* bytes; 0: xrdma_mapping_page_size() must look it up */
	char flags[5];	  /* "rwxp" */
	char name[256];	  /* "": none; a longer name is cut */
};

/* Returns PROT_*: how the process may access MAPPING. */
static inline int xrdma_mapping_prot(const struct xrdma_mapping *mapping)
{
	return (mapping->flags[0] == 'r' ? PROT_READ : 0) |
	       (mapping->flags[1] == 'w' ? PROT_WRITE : 0) |
	       (mapping->flags[2] == 'x' ? PROT_EXEC : 0);
}

/*
 * Returns whether MAPPING has at ADDR the byte at OFFSET of a BPF map. All maps have the same name,
 * so it may be any map.
 */
static inline bool xrdma_mapping_is_of_map(const struct xrdma_mapping *mapping, __u64 addr,
					   __u64 offset)
{
	return mapping->start <= addr && !strcmp(mapping->name, "anon_inode:bpf-map") &&
	       mapping->offset + (addr - mapping->start) == offset;
}

/* Returns whether MAPPING only reserves addresses: the process has no access to them. */
static inline bool xrdma_mapping_is_reserved(const struct xrdma_mapping *mapping)
{
	return xrdma_mapping_prot(mapping) == PROT_NONE;
}

/*
 * Open the files of the calling thread, which ends only with the process. Returns 0 or -errno:
 * nothing is open.
 */
int xrdma_mappings_open(void);

/* Close the files. A forked child calls it, too. */
void xrdma_mappings_close(void);

/*
 * List the mappings that have a byte from START up to END, sorted by address. Returns their number,
 * or -errno if they are not known. The caller frees *MAPPINGS.
 */
int xrdma_mappings_list(__u64 start, __u64 end, struct xrdma_mapping **mappings);

/*
 * Returns whether the COUNT mappings that xrdma_mappings_list() listed differ from what it lists
 * now, or whether that cannot be known.
 */
bool xrdma_mappings_are_old(const struct xrdma_mapping *mappings, int count, __u64 start,
			    __u64 end);

/*
 * Returns whether the kernel can report single mappings (PROCMAP_QUERY, Linux 6.11). If not,
 * listing a few takes as long as listing all.
 */
bool xrdma_mappings_are_asked(void);

/*
 * Returns 1 if each address from START up to END belongs to a mapping that is not only reserved, 0
 * if not, or -errno if that is not known.
 */
int xrdma_mappings_fill(__u64 start, __u64 end);

/*
 * Search COUNT mappings, sorted by address, for those with a byte from START up to END. Returns the
 * first, and their number in *COUNT.
 */
const struct xrdma_mapping *xrdma_mappings_in(const struct xrdma_mapping *mappings, int *count,
					      __u64 start, __u64 end);

/*
 * Returns the mapping of COUNT, sorted by address, that contains AT, or NULL. *END, an address
 * after AT, is lowered to the end of this mapping, or to the start of the next one if there is none
 * at AT.
 */
const struct xrdma_mapping *xrdma_mappings_at(const struct xrdma_mapping *mappings, int count,
					      __u64 at, __u64 *end);

/*
 * Returns false if the SIZE bytes of whole pages at ADDR are not those of a BPF map at OFFSET. The
 * process has mapped these at OTHER, too. Returns true if they are, or if that cannot be known. It
 * cannot be known if the kernel does not report single mappings (xrdma_mappings_are_asked()), and
 * if it either hides the pages (proc_pid_pagemap(5)), or shows a process without CAP_SYS_ADMIN only
 * that they belong to some file.
 */
bool xrdma_mapping_may_be_of_map(__u64 addr, __u64 size, __u64 offset, const void *other);

/* Returns the size of MAPPING's pages in bytes, or 0 if it is not known. */
__u64 xrdma_mapping_page_size(const struct xrdma_mapping *mapping);

#endif
