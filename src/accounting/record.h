// Makes accounting rows: whole rows, from the job as it is now.
#pragma once

#include "model/accounts/accounting_record.h"
#include "model/cluster.h"

namespace muster::accounting {

// The wait status that accounting and mails show.
std::uint32_t accounted_exit(const Job& job);
// All that a job asks for, in whichever options it says so. Empty if it can no longer be computed.
Tres requested_tres(const Cluster& cluster, const Job& job);
JobRecord job_record(const Cluster& cluster, const Job& job);
StepRecord step_record(const Cluster& cluster, const Job& job, const Step& step);

}  // namespace muster::accounting
