// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* Link this file with a program of tests/prog to test the program at tc ingress. */
#include "support/target.h"

bool target_is_at_tc = true;
