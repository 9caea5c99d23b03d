// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "lib/capability.h"

#include <sys/syscall.h>
#include <unistd.h>

bool xrdma_has_capability(int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &header, sets) &&
	       sets[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability);
}
