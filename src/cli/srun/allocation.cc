// srun's requests to the controller: its own allocation, steps, and their ends.
#include "cli/srun/allocation.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/text/slow_down.h"
#include "cli/lib/name_lookup.h"
#include "cli/options/environment.h"
#include "cli/options/limits.h"
#include "cli/options/submitter.h"
#include "cli/srun/plan.h"
#include "cli/srun/unallocated.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

constexpr Millis kStepWaitsAfter{400};

// Adds the caller's resource limits for the tasks of all parts.
void add_limits(wire::StepRequest& request, const SrunPlan& plan, const ClientConfig& config) {
  JobEnvironment environment(std::move(request.environment));
  add_limit_variables(environment, plan.options, config);
  request.environment = std::move(environment).take();
  for (std::size_t i = 0; i < request.parts.size(); ++i)
    add_limits(request.parts[i], plan.parts[i], config);
}

}  // namespace

int SrunController::step_failed(JobId job, const Error& error, bool waited) const {
  const bool expired = error.code == ErrorCode::already_done && !waited;
  if (expired || error.code == ErrorCode::invalid_job_id || error.code == ErrorCode::job_pending) {
    print_error(kSrun, expired ? fmt::format("Slurm job {} has expired", job.value)
                               : fmt::format("Unable to confirm allocation for job {}: {}",
                                             job.value, error_text(error.code)));
    print_info(kSrun,
               fmt::format("Check SLURM_JOB_ID environment variable. Expired or invalid job {}",
                           job.value));
    return failure_code();
  }
  // The explanation comes first, or alone if there is nothing else to say.
  bool explained = error.code == ErrorCode::invalid_gres ||
                   error.code == ErrorCode::requested_node_config_unavailable;
  if (explained && !error.detail.empty()) {
    print_error(kSrun, error.detail);
    if (error.code == ErrorCode::requested_node_config_unavailable) return failure_code();
  }
  print_error(kSrun, fmt::format("Unable to create step for job {}: {}", job.value,
                                 explained ? std::string(error_text(error.code)) : error.text()));
  return failure_code();
}

std::expected<wire::StepReply, Ended> SrunController::create_step(JobId job) {
  auto request = make_step_request(plan_, job, launcher(), JobEnvironment::of_process());
  add_limits(request, plan_, config_);
  bool told = false;
  auto say_waiting = [&] {
    if (told || plan_.options.quiet) return;
    print_info(kSrun,
               fmt::format(
                   "Job {} step creation temporarily disabled, retrying (Requested nodes are busy)",
                   job.value));
    told = true;
  };
  while (true) {
    auto sent = controller_->send(request);
    std::expected<Result<wire::Answer>, Interrupted> waited =
        sent ? wait_answer(kStepWaitsAfter, say_waiting)
             : Result<wire::Answer>(std::unexpected(sent.error()));
    if (!waited) {
      print_info(kSrun, fmt::format("Cancelled pending step for job {}", job.value));
      return std::unexpected(Ended{failure_code()});
    }
    Result<wire::Answer>& answer = *waited;
    if (!answer && is_connection_lost(answer.error())) {
      while (!reconnect()) std::this_thread::sleep_for(500ms);
      continue;
    }
    if (const auto wait = answer ? std::nullopt : wait_asked_by(answer.error())) {
      say_waiting();
      std::this_thread::sleep_for(*wait);
      continue;
    }
    if (!answer) return std::unexpected(Ended{step_failed(job, answer.error(), told)});
    auto* reply = std::get_if<wire::StepReply>(&*answer);
    if (!reply) return std::unexpected(Ended{step_failed(job, {ErrorCode::protocol_version, {}})});
    if (told) print_info(kSrun, fmt::format("Step created for job {}", job.value));
    return std::move(*reply);
  }
}

std::expected<SrunController::OwnStep, Ended> SrunController::start_alone() {
  wire::SubmitRequest request = make_submit_request(plan_);
  if (!request.test_only) {
    request.first_step.push_back(
        make_step_request(plan_, JobId{}, launcher(), JobEnvironment::of_process()));
    add_limits(request.first_step.front(), plan_, config_);
  }
  auto job = submit(request);
  if (!job) return std::unexpected(job.error());
  awaits_end_ = true;
  auto waited = wait_in_queue(*job);
  if (!waited) return std::unexpected(waited.error());
  Result<wire::Answer>& answer = *waited;
  if (!answer && is_connection_lost(answer.error())) {
    // A restarted controller may have forgotten the step that was to follow.
    reconnect_while_queued(*job);
    auto granted = wait_for_start(*job);
    if (!granted) return std::unexpected(granted.error());
    say_started(*job);
    return OwnStep{*job, create_step(*job)};
  }
  if (answer && std::holds_alternative<wire::JobsReply>(*answer))
    return std::unexpected(cancelled(*job));
  say_started(*job);
  auto* reply = answer ? std::get_if<wire::StepReply>(&*answer) : nullptr;
  if (reply) return OwnStep{*job, std::move(*reply)};
  const Error error = answer ? Error{ErrorCode::protocol_version, {}} : answer.error();
  return OwnStep{*job, std::unexpected(Ended{step_failed(*job, error)})};
}

std::expected<SrunController::OwnStep, Ended> SrunController::start_unallocated() {
  auto request = unallocated_request(
      make_step_request(plan_, JobId{}, launcher(), JobEnvironment::of_process()));
  add_limits(request, plan_, config_);
  const bool as_another = owner_of(options_).uid != own_uid();
  auto reply = as_another ? fail(ErrorCode::access_denied, request.node_list.str())
                          : controller_->ask_for<wire::StepReply>(request);
  if (!reply) return std::unexpected(Ended{say_not_launched(request, reply.error())});
  return OwnStep{request.job, std::move(*reply)};
}

bool SrunController::cancel_step(JobId job, StepId step, int signal) {
  // On a separate connection, because an answer may be under way on the kept one.
  auto controller = Controller::connect(config_);
  if (!controller) return false;
  wire::CancelRequest request;
  request.jobs.push_back({job, {}, step});
  request.signal = signal;
  auto reply = controller->ask_for<wire::CancelReply>(request);
  return reply && reply->errors.empty();
}

void SrunController::watch_step(JobId job, StepId step) {
  watched_ = wire::WaitJobRequest{.job = job, .step = step};
  if (!controller_->send(*watched_)) stop_keeping();
}

// Waits only briefly for a controller that does not answer; a signal ends the wait.
void SrunController::await_step_end() {
  if (!watched_ || has_ended()) return;
  if (!controller_ && (!reconnect() || !controller_->send(*watched_))) return;
  auto answer = wait_answer(config_.message_timeout, [] {}, Clock::now() + config_.message_timeout);
  (void)answer;  // the step is over, or soon will be
}

bool SrunController::is_ending(JobId job) {
  auto controller = Controller::connect(config_);
  if (!controller) return false;
  wire::JobsRequest request;
  request.filter.jobs.push_back({job, {}, std::nullopt});
  request.filter.all_states = true;
  auto reply = controller->ask_for<wire::JobsReply>(request);
  if (!reply || reply->jobs.empty()) return false;
  const Job& found = *reply->jobs.front().job;
  return found.run->ending || found.run->preemption || is_ended(found.state);
}

LauncherAddress SrunController::launcher() {
  LauncherAddress address;
  if (!controller_) return address;
  sockaddr_in own{};
  socklen_t size = sizeof own;
  int fd = controller_->channel().fd();
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) != 0 || own.sin_family != AF_INET)
    return address;
  std::array<char, INET_ADDRSTRLEN> text{};
  if (inet_ntop(AF_INET, &own.sin_addr, text.data(), text.size())) address.host = text.data();
  address.port = ntohs(own.sin_port);
  return address;
}

}  // namespace muster::cli
