// What most lists of jobs show. The rest of a long queue is texts that nobody asked for: paths,
// command lines, comments. They stay with the controller unless a column needs them.
#pragma once

#include "model/job.h"

namespace muster::wire {

// Without steps, devices and long texts.
Job brief_of(const Job& job);

}  // namespace muster::wire
