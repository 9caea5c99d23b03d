// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "refuse.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "test.h"

void refuse_call(__u32 number, int arg, __u32 value, int err)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args) + arg * sizeof(__u64)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(steps) / sizeof(*steps), steps };

	expect_int(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), ==, 0);
	expect_int(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), ==, 0);
}

void refuse_mapping_queries(void)
{
	const int size = 104; /* size of struct procmap_query */

	refuse_call(SYS_ioctl, 1, _IOC(_IOC_READ | _IOC_WRITE, 'f', 17, size), ENOTTY);
}
