// What the tasks run as and where: user, groups, limits, working directory.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "step/logic/task_environment.h"
#include "wire/step_setup.h"

namespace muster::step {

// While one lives, the calling thread touches files and makes connections with the job's user's
// rights, and no other thread does.
class AsUser {
 public:
  explicit AsUser(const StepSetup& setup);
  ~AsUser();
  AsUser(const AsUser&) = delete;
  AsUser& operator=(const AsUser&) = delete;
  bool ok() const { return ok_; }

 private:
  bool changed_;
  bool ok_ = true;
};

// For good, in a thread of this process: what it connects with sees the job's user. False with
// errno on failure. Its real user stays root, so that the user cannot signal it.
bool act_as_user(const StepSetup& setup);

// For good, in a task's own process. Async-signal-safe. False with errno on failure.
bool become_user(const StepSetup& setup);

// Changes to the job's working directory. If that fails it changes to /tmp, and the text says why.
struct WorkDir {
  bool exists = true;
  std::string warning;
};
WorkDir enter_work_dir(const StepSetup& setup);

// Limits that the submitting command sent along as SLURM_RLIMIT_*; takes them out of the
// environment.
struct ResourceLimit {
  int resource = 0;
  unsigned long soft = 0;
};
std::vector<ResourceLimit> take_limits(Environment& environment);
void apply_limits(const std::vector<ResourceLimit>& limits);  // async-signal-safe

}  // namespace muster::step
