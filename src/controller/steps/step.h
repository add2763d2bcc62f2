// A step: what srun asks for inside a job. It gets a share of what the job holds
// (sched/place/step_place.h), or waits (steps.h).
#pragma once

#include <optional>
#include <set>

#include "controller/ledger/ledger.h"
#include "controller/links/step_launches.h"
#include "wire/client_messages.h"

namespace muster::controller {

// `number`: of a queued step; otherwise the next number is taken.
Result<wire::StepReply> start_step(Ledger& ledger, Host& host, StepLaunches& launches,
                                   Caller caller, wire::StepRequest& request,
                                   std::optional<StepId> number);
// One component's part of a step, without its number. `taken`: nodes of earlier parts in the same
// job.
Result<Step> place_part(const Ledger& ledger, Caller caller, const wire::StepRequest& request,
                        const std::set<NodeId>& taken);
// Components of a heterogeneous job share one numbering of steps.
StepId next_step_id(const Cluster& cluster, const Job& job);
// sattach, and commands that ask where the tasks of a step are.
wire::Answer find_step(const Ledger& ledger, Host& host, Caller caller,
                       const wire::AttachStepRequest& request);
void add_places(const Cluster& cluster, Host& host, const Job& job, const Step& step,
                wire::StepReply& reply);

}  // namespace muster::controller
