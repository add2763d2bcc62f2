// An allocation that a command makes and owns: asked for, waited for, kept alive by its connection,
// given back. srun alone and salloc.
#pragma once

#include <expected>
#include <optional>

#include "cli/allocation/signals.h"
#include "cli/lib/controller.h"
#include "cli/options/options.h"

namespace muster::cli {

// The command ends with this code; what there was to say has been said.
struct Ended {
  int exit_code = 1;
};

// The connection that such a command keeps to the controller. It may be lost and made again.
class Allocation {
 public:
  Allocation(Controller controller, const JobOptions& options, SignalQueue& signals)
      : controller_(std::move(controller)),
        config_(controller_->config()),
        options_(options),
        signals_(signals) {}

  // Submits the job and waits until it has its nodes: the job, or each of its components.
  std::expected<std::vector<wire::JobView>, Ended> allocate(const wire::SubmitRequest& request);
  void release(JobId job, std::uint32_t wait_status);
  // The job runs on without an owner (--no-shell).
  void leave(JobId job);

  // While the allocation is in use, the connection shows that its owner lives.
  void start_keeping(JobId job);
  void stop_keeping() { controller_.reset(); }
  int fd() { return controller_ ? controller_->channel().fd() : -1; }
  void on_readable();
  void reconnect_if_lost();
  bool is_lost() const { return kept_job_ && !controller_; }
  // PrologSlurmctld has ended and all nodes are on: what runs now may use them.
  std::expected<void, Ended> wait_until_ready(const std::vector<wire::JobView>& granted);
  bool has_ended() const { return ended_; }  // the kept job has
  Millis waited() const { return waited_; }  // for the nodes

  const ClientConfig& config() const { return config_; }

 protected:
  using Clock = std::chrono::steady_clock;
  struct Interrupted {
    int signal;  // 0 = it took too long
  };
  // The job, asked for. What was refused has been said.
  std::expected<JobId, Ended> submit(const wire::SubmitRequest& request);
  // The nodes of a job that was submitted.
  std::expected<std::vector<wire::JobView>, Ended> wait_for_start(JobId job, bool ready = false);
  // The next answer about a job that waits for its nodes. Prints a line if that takes a while.
  std::expected<Result<wire::Answer>, Ended> wait_in_queue(JobId job);
  void say_started(JobId job);
  Ended cancelled(JobId job);  // while it waited
  void reconnect_while_queued(JobId job);

  // Waits for the next answer; a signal that ends the command breaks it off, and so does the end of
  // its patience. `on_slow` is called once after a while.
  template <class OnSlow>
  std::expected<Result<wire::Answer>, Interrupted> wait_answer(
      Millis slow_after, OnSlow on_slow, std::optional<Clock::time_point> give_up = {});
  bool reconnect();

  std::optional<Controller> controller_;
  ClientConfig config_;
  const JobOptions& options_;
  SignalQueue& signals_;
  bool awaits_end_ = false;  // the controller was asked to report the job's end

 private:
  void say(std::string_view text) const;  // unless -Q wants no words
  void say_queued(JobId job);
  bool say_notice(const wire::Answer& answer) const;  // false: it is something else
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
    // First what arrived together with an earlier answer: poll does not report that.
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
