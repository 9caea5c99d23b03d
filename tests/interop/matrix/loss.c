// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "loss.h"

#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "loss.skel.h"

static struct loss_bpf *loss;
static struct bpf_tc_hook hook = { .sz = sizeof(hook) };

bool loss_open(const char *device)
{
	LIBBPF_OPTS(bpf_tc_opts, out);
	int err;

	hook.ifindex = if_nametoindex(device);
	hook.attach_point = BPF_TC_EGRESS;

	loss = loss_bpf__open_and_load();
	if (!loss)
		return false;
	err = bpf_xdp_attach(hook.ifindex, bpf_program__fd(loss->progs.loss_in), XDP_FLAGS_DRV_MODE,
			     NULL);
	out.prog_fd = bpf_program__fd(loss->progs.loss_out);
	err = err ?: bpf_tc_hook_create(&hook);
	err = err ?: bpf_tc_attach(&hook, &out);
	if (err)
		printf("cannot attach to %s: %s\n", device, strerror(-err));
	return !err;
}

void loss_close(void)
{
	hook.attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS; /* both at once */
	bpf_tc_hook_destroy(&hook);
	bpf_xdp_detach(hook.ifindex, XDP_FLAGS_DRV_MODE, NULL);
	loss_bpf__destroy(loss);
}

void loss_set(__u32 per_mille)
{
	loss->bss->lost_per_mille = per_mille;
}

__u64 loss_seen(void)
{
	return loss->bss->packets[0] + loss->bss->packets[1];
}

__u64 loss_lost(void)
{
	return loss->bss->lost[0] + loss->bss->lost[1];
}
