// Jobs without their long texts, for lists. Paths, command lines and comments make up most of a
// long queue; they stay with the controller unless a column needs them.
#pragma once

#include "model/job/job.h"

namespace muster::wire {

// Without long texts.
JobSpec brief_of(const JobSpec& spec);
// Without long texts, steps and devices; the specification stays as it is.
Job brief_of(const Job& job);

}  // namespace muster::wire
