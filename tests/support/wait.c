// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "wait.h"

#include <unistd.h>

enum { PATIENT_ROUNDS = 100, NAP_US = 20 };

void wait_unless(bool came)
{
	static __thread int rounds;

	rounds = came ? 0 : rounds + 1;
	if (rounds > PATIENT_ROUNDS)
		usleep(NAP_US);
}
