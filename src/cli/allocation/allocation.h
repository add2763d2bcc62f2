// An allocation that a command (srun without a job, salloc) makes and owns: it is requested, waited
// for, kept by an open connection, and given back.
#pragma once

#include <expected>
#include <optional>

#include "cli/allocation/signals.h"
#include "cli/lib/controller.h"
#include "cli/options/options.h"

namespace muster::cli {

// The command ends with this exit code; messages have been printed.
struct Ended {
  int exit_code = 1;
};

// The connection to the controller that keeps the allocation. It may break and be made again.
class Allocation {
 public:
  Allocation(Controller controller, const JobOptions& options, SignalQueue& signals)
      : controller_(std::move(controller)),
        config_(controller_->config()),
        options_(options),
        signals_(signals) {}

  // Submits the job and waits until it has its nodes. One view for the job or for each component.
  std::expected<std::vector<wire::JobView>, Ended> allocate(const wire::SubmitRequest& request);
  void release(JobId job, std::uint32_t wait_status);
  // Lets the job run on without an owner (--no-shell).
  void leave(JobId job);

  // While the allocation is in use, the open connection shows that its owner is alive.
  void start_keeping(JobId job);
  void stop_keeping() { controller_.reset(); }
  int fd() { return controller_ ? controller_->channel().fd() : -1; }
  void on_readable();
  void reconnect_if_lost();
  bool is_lost() const { return kept_job_ && !controller_; }
  // Waits until PrologSlurmctld has ended and all nodes are powered on.
  std::expected<void, Ended> wait_until_ready(const std::vector<wire::JobView>& granted);
  bool has_ended() const { return ended_; }  // the kept job
  Millis waited() const { return waited_; }  // the time spent waiting for nodes

  const ClientConfig& config() const { return config_; }

 protected:
  using Clock = std::chrono::steady_clock;
  struct Interrupted {
    int signal;  // 0 = the time is up
  };
  // Submits the job. A refusal is printed.
  std::expected<JobId, Ended> submit(const wire::SubmitRequest& request);
  // Waits for the nodes of a submitted job.
  std::expected<std::vector<wire::JobView>, Ended> wait_for_start(JobId job, bool ready = false);
  // The next answer about a waiting job. Prints a line if that takes a while.
  std::expected<Result<wire::Answer>, Ended> wait_in_queue(JobId job);
  void say_started(JobId job);
  Ended cancelled(JobId job);  // while waiting for nodes
  void reconnect_while_queued(JobId job);

  // Waits for the next answer, until a signal ends the command or its time is up. Calls `on_slow`
  // once after a while.
  template <class OnSlow>
  std::expected<Result<wire::Answer>, Interrupted> wait_answer(
      Millis slow_after, OnSlow on_slow, std::optional<Clock::time_point> give_up = {});
  bool reconnect();

  std::optional<Controller> controller_;
  ClientConfig config_;
  const JobOptions& options_;
  SignalQueue& signals_;
  bool awaits_end_ = false;  // a request to report the job's end is under way

 private:
  void say(std::string_view text) const;  // unless -Q is given
  void say_queued(JobId job);
  bool say_notice(const wire::Answer& answer) const;  // false: another kind of answer
  Ended revoke(JobId job);
  int failed(const Error& error) const;
  std::string_view program() const { return client_name(options_.client); }
  bool is_salloc() const { return options_.client == Client::salloc; }

  std::optional<JobId> kept_job_;
  bool said_queued_ = false;
  std::optional<Clock::time_point> give_up_;  // --immediate
  bool ended_ = false;
  Millis waited_{0};
};

bool is_connection_lost(const Error& error);
bool ends_command(int signal);

template <class OnSlow>
std::expected<Result<wire::Answer>, Allocation::Interrupted> Allocation::wait_answer(
    Millis slow_after, OnSlow on_slow, std::optional<Clock::time_point> give_up) {
  bool told = false;
  while (true) {
    // Read first what arrived together with an earlier answer: poll does not report that.
    auto answer = controller_->try_receive();
    if (!answer) return Result<wire::Answer>(std::unexpected(answer.error()));
    if (*answer && say_notice(**answer)) continue;
    if (*answer) return Result<wire::Answer>(std::move(**answer));
    Millis wait = told ? Millis{-1} : std::max(slow_after, Millis{0});
    if (give_up) {
      Millis left = std::chrono::ceil<Millis>(*give_up - Clock::now());
      if (left <= Millis{0}) return std::unexpected(Interrupted{0});
      wait = told ? left : std::min(wait, left);
    }
    auto heard = signals_.wait_for(controller_->channel().fd(), wait);
    if (heard.timed_out && !told) {
      told = true;
      on_slow();
    }
    while (auto signal = signals_.take())
      if (ends_command(*signal)) return std::unexpected(Interrupted{*signal});
  }
}

}  // namespace muster::cli
