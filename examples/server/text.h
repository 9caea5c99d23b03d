/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#ifndef XRDMA_EXAMPLES_TEXT_H
#define XRDMA_EXAMPLES_TEXT_H

enum { TEXT_MAX = 256 }; /* bytes of a message */

#endif
