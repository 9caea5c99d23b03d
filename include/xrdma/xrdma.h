/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* All calls of the library. */
#ifndef XRDMA_H
#define XRDMA_H

#include "ah.h"
#include "async.h"
#include "cntr.h"
#include "conn.h"
#include "context.h"
#include "cq.h"
#include "crypto.h"
#include "device.h"
#include "eq.h"
#include "error.h"
#include "mkey.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"
#include "qp.h"
#include "sig.h"
#include "srq.h"
#include "wr.h"

#endif
