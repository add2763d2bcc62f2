// srun and the controller: an allocation of its own, the step, and the end of both.
#pragma once

#include <expected>

#include "cli/lib/controller.h"
#include "cli/srun_plan.h"
#include "cli/srun_signals.h"

namespace muster::cli {

// srun ends with this code; what there was to say has been said.
struct Ended {
  int exit_code = 1;
};

// The controller as srun keeps it: a connection that may come and go while a step runs.
class SrunController {
 public:
  SrunController(Controller controller, const SrunPlan& plan, SignalQueue& signals)
      : controller_(std::move(controller)),
        config_(controller_->config()),
        plan_(plan),
        signals_(signals) {}

  // Submits the job and waits until it has its nodes.
  std::expected<JobId, Ended> allocate();
  // Asks for the step; the controller answers once there is room for it.
  std::expected<wire::StepReply, Ended> create_step(JobId job);
  // Ends the step from the controller's side: CONT and TERM, then KILL. False where nobody
  // answered.
  bool cancel_step(JobId job, StepId step);
  // Is this job being ended, so that its tasks were told already?
  bool is_ending(JobId job);
  void release(JobId job, std::uint32_t wait_status);

  // While the step of an own allocation runs, the connection shows that its owner lives.
  void start_keeping(JobId job);
  void stop_keeping() { controller_.reset(); }
  int fd() { return controller_ ? controller_->channel().fd() : -1; }
  void on_readable();
  void reconnect_if_lost();
  bool is_lost() const { return kept_job_ && !controller_; }

  const ClientConfig& config() const { return config_; }
  LauncherAddress launcher();

 private:
  struct Interrupted {
    int signal;
  };
  // Waits for the next answer; a signal that ends srun breaks it off. `on_slow` is called once
  // after a while.
  template <class OnSlow>
  std::expected<Result<wire::Answer>, Interrupted> wait_answer(Millis slow_after, OnSlow on_slow);
  std::expected<JobId, Ended> wait_for_start(JobId job, bool held);
  Ended revoke(JobId job, int signal);
  bool reconnect();
  int allocation_failed(const Error& error) const;
  int step_failed(JobId job, const Error& error) const;

  std::optional<Controller> controller_;
  ClientConfig config_;
  const SrunPlan& plan_;
  SignalQueue& signals_;
  std::optional<JobId> kept_job_;
};

}  // namespace muster::cli
