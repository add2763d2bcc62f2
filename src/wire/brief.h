// What most lists of jobs show. The rest of a long queue is texts that nobody asked for: paths,
// command lines, comments. They stay with the controller unless a column needs them.
#pragma once

#include "model/job/job.h"

namespace muster::wire {

// Without long texts.
JobSpec brief_of(const JobSpec& spec);
// Without long texts, steps and devices; its specification is the same.
Job brief_of(const Job& job);

}  // namespace muster::wire
