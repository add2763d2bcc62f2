// --get-user-env: the variables of a fresh login of the job's user.
#pragma once

#include "step/logic/task_environment.h"
#include "wire/step_setup.h"

namespace muster::step {

// Adds what a login sets and the job's environment does not. A login that hangs or fails adds only
// HOME, USER and the like.
void add_login_environment(Environment& environment, const StepSetup& setup);

}  // namespace muster::step
