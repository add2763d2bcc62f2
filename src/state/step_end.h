// The end of a step. Ended steps leave the state (except the batch script and the extern step, of
// which there is one each): a job may have had thousands. Accounting keeps them.
#pragma once

#include "model/job/step.h"
#include "state/event.h"

namespace muster {

// The step after the end of this part: ended if it was the last part.
Step with_end(Step step, const StepNodeEnded& end);

inline bool stays_after_its_end(StepId step) { return step == kBatchStep || step == kExternStep; }

}  // namespace muster
