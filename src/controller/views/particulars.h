// What the sentence about a waiting job's reason leaves open: names and numbers, for
// `muster explain`.
#pragma once

#include <string>

#include "controller/views/visibility.h"
#include "sched/plan.h"

namespace muster::controller {

// Sentences that follow the one of the reason; may be empty. They name nothing that the viewer may
// not see.
std::string particulars(const Cluster& cluster, const Visibility& visible, const Job& job,
                        const sched::Wait& wait, Time now);

}  // namespace muster::controller
