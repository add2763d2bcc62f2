// What accounting is told of a job: whole rows, made from the job as it is now.
#pragma once

#include "model/accounts/accounting_record.h"
#include "model/cluster.h"

namespace muster::accounting {

// The wait status that accounting and mails tell.
std::uint32_t accounted_exit(const Job& job);
// What a job asks for in all, however it says it. Nothing where that is no longer possible.
Tres requested_tres(const Cluster& cluster, const Job& job);
JobRecord job_record(const Cluster& cluster, const Job& job);
StepRecord step_record(const Cluster& cluster, const Job& job, const Step& step);

}  // namespace muster::accounting
