// Does a job match what a user asked for? Shared by listings and by scancel.
#pragma once

#include "model/cluster.h"
#include "wire/client_messages.h"

namespace muster::controller {

bool matches(const Cluster& cluster, const Job& job, const wire::JobFilter& filter);

}  // namespace muster::controller
