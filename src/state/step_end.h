// What the end of a node's part makes of a step. Steps that have ended leave the state (but for the
// batch script and the extern step, which are one each): a job may have had thousands. Accounting
// keeps them.
#pragma once

#include "model/job/step.h"
#include "state/event.h"

namespace muster {

// The step once the part is over: ended, where it was the last.
Step with_end(Step step, const StepNodeEnded& end);

inline bool stays_after_its_end(StepId step) { return step == kBatchStep || step == kExternStep; }

}  // namespace muster
