// The answers to scontrol show assoc_mgr and muster budget: limits, and what is used of them.
#pragma once

#include "base/result.h"
#include "controller/views/visibility.h"
#include "model/cluster.h"
#include "wire/limits.h"

namespace muster::controller {

wire::LimitsReply limits_reply(const Cluster& cluster, const Visibility& visible, Time now);

// What the user may still use, and which limit would keep the smallest job from starting now. An
// error if the user may not use the account, the QOS or the partition.
Result<wire::BudgetReply> budget_reply(const Cluster& cluster, const wire::BudgetRequest& request,
                                       Time now);

}  // namespace muster::controller
