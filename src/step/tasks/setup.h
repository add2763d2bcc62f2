// The user, groups, limits and working directory of tasks.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "step/logic/task_environment.h"
#include "wire/step_setup.h"

namespace muster::step {

// While an object exists, the calling thread accesses files and makes connections with the rights
// of the job's user; other threads do not.
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

// For a thread of this process, permanently: peers of its connections see the job's user. The real
// user stays root, so that the user cannot signal the process. False with errno.
bool act_as_user(const StepSetup& setup);

// For a task's own process, permanently. Async-signal-safe. False with errno.
bool become_user(const StepSetup& setup);

// Changes to the job's working directory. If that fails, changes to /tmp, and `text` says why.
struct WorkDir {
  bool exists = true;
  std::string warning;
};
WorkDir enter_work_dir(const StepSetup& setup);

// Limits that the submitting command sent as SLURM_RLIMIT_*; removes these variables.
struct ResourceLimit {
  int resource = 0;
  unsigned long soft = 0;
};
std::vector<ResourceLimit> take_limits(Environment& environment);
void apply_limits(const std::vector<ResourceLimit>& limits);  // async-signal-safe

}  // namespace muster::step
