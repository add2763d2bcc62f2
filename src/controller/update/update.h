// What scontrol changes: records of jobs, nodes, partitions, reservations and steps.
#pragma once

#include "controller/allocation/allocations.h"
#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"
#include "controller/power/power.h"
#include "controller/submit/site_says.h"
#include "wire/client_messages.h"

namespace muster::controller {

// scontrol create, update and delete, by kind of record.
wire::Answer update(Ledger& ledger, Host& host, NodeLinks& links, Allocations& allocations,
                    Power& power, Caller caller, const wire::UpdateRequest& request,
                    const SiteSays& says = {});
// hold, uhold, release, requeue, requeuehold, suspend, resume, notify, top.
wire::Answer job_action(Ledger& ledger, Host& host, StepLaunches& launches,
                        Allocations& allocations, Caller caller,
                        const wire::JobActionRequest& request);

// --- one function per kind of record ---
wire::Answer update_job(Ledger& ledger, Host& host, StepLaunches& launches, Caller caller,
                        const wire::UpdateRequest& request, const SiteSays& says = {});
wire::Answer update_node(Ledger& ledger, NodeLinks& links, Allocations& allocations, Power& power,
                         Caller caller, const wire::UpdateRequest& request);
wire::Answer update_partition(Ledger& ledger, const wire::UpdateRequest& request);
wire::Answer update_reservation(Ledger& ledger, Host& host, const wire::UpdateRequest& request);
wire::Answer update_step(Ledger& ledger, Caller caller, const wire::UpdateRequest& request);

// The jobs that an update of jobs names.
Result<std::vector<wire::JobRef>> jobs_to_update(const Cluster& cluster,
                                                 const wire::UpdateRequest& request);

// --- actions that other code uses as well ---
Result<void> hold(Ledger& ledger, Caller caller, const Job& job, Hold kind);
Result<void> move_to_top(Ledger& ledger, Host& host, StepLaunches& launches, Caller caller,
                         const Job& job);

}  // namespace muster::controller
