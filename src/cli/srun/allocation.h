// srun and the controller: creates steps, in a new allocation or in the job that srun runs in.
#pragma once

#include <expected>

#include "cli/allocation/allocation.h"
#include "cli/srun/plan.h"

namespace muster::cli {

class SrunController : public Allocation {
 public:
  SrunController(Controller controller, const SrunPlan& plan, SignalQueue& signals)
      : Allocation(std::move(controller), plan.options, signals), plan_(plan) {}

  // A job made for this srun and its step, requested together.
  struct OwnStep {
    JobId job;
    std::expected<wire::StepReply, Ended> step;  // on an error the job exists nevertheless
  };
  std::expected<OwnStep, Ended> start_alone();
  // Requests the step; the controller answers once there is room for it.
  std::expected<wire::StepReply, Ended> create_step(JobId job);
  // Requests a step without a job (--no-allocate).
  std::expected<OwnStep, Ended> start_unallocated();
  // Asks the controller to end the step, at once or with a signal; its nodes then say so in the
  // step's output. False if there was no answer.
  bool cancel_step(JobId job, StepId step, int signal = 0);
  // For steps in existing jobs: asks the controller to report the step's end, which it learns from
  // the nodes. So the next srun finds the step's resources free again.
  void watch_step(JobId job, StepId step);
  void await_step_end();
  // Whether this job is being ended, so that its tasks have been told already.
  bool is_ending(JobId job);

  LauncherAddress launcher();

 private:
  // `waited`: the job existed when the step was requested.
  int step_failed(JobId job, const Error& error, bool waited = false) const;

  const SrunPlan& plan_;
  std::optional<wire::WaitJobRequest> watched_;
};

}  // namespace muster::cli
