// What submit scripts read and set of a job, by the names of wire/hook_fields.h.
#pragma once

#include "base/result.h"
#include "model/job/job.h"
#include "wire/hook_fields.h"

namespace muster::controller {

// The fields that are given.
wire::HookFields job_fields(const JobRequest& request);
// Fields that only records of jobs have are added for scontrol update's job_ptr.
wire::HookFields record_fields(const Job& job);

// Sets a field other than the script, which is no part of the request. The error is in words for
// whoever wrote the submit script.
Result<void> set_job_field(JobRequest& request, const wire::HookField& field);

// --- values that have a form of their own in Slurm ---
// "v100:2,1" -> "gres:gpu:v100:2,gres:gpu:1", and back: also "gres/gpu:2" and "gpu:2".
std::string shown_gres(std::string_view gres);             // of "gpu:v100:2,shard:1"
Result<std::string> stripped_gres(std::string_view text);  // "gpu:v100:2,shard:1"
Result<std::string> gpus_of(std::string_view text);        // "v100:2,1"; only of GPUs

}  // namespace muster::controller
