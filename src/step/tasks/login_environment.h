// --get-user-env: the variables of a fresh login of the job's user.
#pragma once

#include "step/logic/task_environment.h"
#include "wire/step_setup.h"

namespace muster::step {

// Adds variables of a login that the job's environment does not have. If the login hangs or fails,
// adds only HOME, USER and the like.
void add_login_environment(Environment& environment, const StepSetup& setup);

}  // namespace muster::step
