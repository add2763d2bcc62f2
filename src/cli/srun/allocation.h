// srun and the controller: the step, in a new allocation or in the job that srun runs in.
#pragma once

#include <expected>

#include "cli/allocation/allocation.h"
#include "cli/srun/plan.h"

namespace muster::cli {

class SrunController : public Allocation {
 public:
  SrunController(Controller controller, const SrunPlan& plan, SignalQueue& signals)
      : Allocation(std::move(controller), plan.options, signals), plan_(plan) {}

  // A job for this srun and the step in it, requested together.
  struct OwnStep {
    JobId job;
    std::expected<wire::StepReply, Ended> step;  // an error: the job exists nevertheless
  };
  std::expected<OwnStep, Ended> start_alone();
  // Asks for the step; the controller answers once there is room for it.
  std::expected<wire::StepReply, Ended> create_step(JobId job);
  // A step in no job (--no-allocate).
  std::expected<OwnStep, Ended> start_unallocated();
  // Ends the step from the controller's side, at once or by a signal, and its nodes say so in its
  // output. False if there was no answer.
  bool cancel_step(JobId job, StepId step, int signal = 0);
  // In a job of others: the controller is to tell when the step has ended, which it hears from the
  // nodes. So the next srun finds the step's resources free again.
  void watch_step(JobId job, StepId step);
  void await_step_end();
  // Is this job being ended, so that its tasks were told already?
  bool is_ending(JobId job);

  LauncherAddress launcher();

 private:
  // `waited`: the job was there when the step was asked for.
  int step_failed(JobId job, const Error& error, bool waited = false) const;

  const SrunPlan& plan_;
  std::optional<wire::WaitJobRequest> watched_;
};

}  // namespace muster::cli
