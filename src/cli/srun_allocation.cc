#include "cli/srun_allocation.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "base/date.h"

namespace muster::cli {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::string_view kProgram = "srun";
// A job that starts within this time was never noticed waiting.
constexpr Millis kQueuedAfter{250};
constexpr Millis kStepWaitsAfter{1000};

bool is_connection_lost(const Error& error) {
  return error.code == ErrorCode::communication || error.code == ErrorCode::zero_bytes ||
         error.code == ErrorCode::timed_out;
}

bool ends_srun(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGQUIT || signal == SIGHUP;
}

}  // namespace

template <class OnSlow>
std::expected<Result<wire::Answer>, SrunController::Interrupted> SrunController::wait_answer(
    Millis slow_after, OnSlow on_slow) {
  Clock::time_point slow = Clock::now() + slow_after;
  bool told = false;
  while (true) {
    std::array<pollfd, 2> fds{pollfd{controller_->channel().fd(), POLLIN, 0},
                              pollfd{signals_.fd(), POLLIN, 0}};
    auto left = std::chrono::ceil<Millis>(slow - Clock::now()).count();
    int ready =
        poll(fds.data(), fds.size(), told ? -1 : static_cast<int>(std::max<std::int64_t>(0, left)));
    if (ready == 0 && !told) {
      told = true;
      on_slow();
    }
    if (fds[1].revents != 0)
      while (auto signal = signals_.take())
        if (ends_srun(*signal)) return std::unexpected(Interrupted{*signal});
    if (fds[0].revents != 0) return controller_->receive(config_.message_timeout);
  }
}

int SrunController::allocation_failed(const Error& error) const {
  if (error.code == ErrorCode::invalid_partition)
    print_error(kProgram, fmt::format("invalid partition specified: {}",
                                      plan_.options.spec.partition.view()));
  Error shown = error;
  if (error.code == ErrorCode::insufficient_memory) {
    print_error(kProgram, "Memory specification can not be satisfied");
    shown = {ErrorCode::requested_node_config_unavailable, {}};
  }
  bool own_code = shown.code == ErrorCode::failure || shown.code >= ErrorCode::not_supported_yet ||
                  shown.code == ErrorCode::communication;
  print_error(kProgram, fmt::format("Unable to allocate resources: {}",
                                    own_code ? shown.text() : std::string(error_text(shown.code))));
  return failure_code();
}

int SrunController::step_failed(JobId job, const Error& error) const {
  if (error.code == ErrorCode::invalid_job_id) {
    print_error(kProgram, fmt::format("Unable to confirm allocation for job {}: {}", job.value,
                                      error_text(error.code)));
    print_info(kProgram,
               fmt::format("Check SLURM_JOB_ID environment variable. Expired or invalid job {}",
                           job.value));
    return failure_code();
  }
  print_error(kProgram,
              fmt::format("Unable to create step for job {}: {}", job.value, error.text()));
  return failure_code();
}

std::expected<JobId, Ended> SrunController::allocate() {
  auto reply = controller_->ask_for<wire::SubmitReply>(make_submit_request(plan_));
  if (!reply) return std::unexpected(Ended{allocation_failed(reply.error())});
  if (!plan_.options.quiet)
    for (const std::string& warning : reply->warnings) print_info(kProgram, warning);
  if (plan_.options.test_only) {
    print_info(kProgram,
               fmt::format("Job {} to start at {} using {} processors on nodes {} in partition {}",
                           reply->job.value, format_date(reply->would_start), reply->cpus,
                           reply->nodes.view(), reply->partition.view()));
    return std::unexpected(Ended{0});
  }
  return wait_for_start(reply->job, plan_.options.spec.hold);
}

std::expected<JobId, Ended> SrunController::wait_for_start(JobId job, bool held) {
  bool queued = false;
  auto say_queued = [&] {
    if (queued || plan_.options.quiet) return;
    if (held) print_info(kProgram, "Job is in held state, pending scheduler release");
    print_info(kProgram, fmt::format("job {} queued and waiting for resources", job.value));
    queued = true;
  };
  while (true) {
    auto sent = controller_->send(wire::WaitJobRequest{job, true});
    std::expected<Result<wire::Answer>, Interrupted> waited =
        sent ? wait_answer(queued ? Millis{0} : kQueuedAfter, say_queued)
             : Result<wire::Answer>(std::unexpected(sent.error()));
    if (!waited) return std::unexpected(revoke(job, waited.error().signal));
    Result<wire::Answer>& answer = *waited;
    if (!answer && is_connection_lost(answer.error())) {
      say_queued();
      while (!reconnect()) std::this_thread::sleep_for(500ms);
      continue;
    }
    if (!answer) return std::unexpected(Ended{allocation_failed(answer.error())});
    auto* reply = std::get_if<wire::JobsReply>(&*answer);
    if (reply && !reply->jobs.empty() && is_ended(reply->jobs.front().job->state)) {
      print_info(kProgram, "Job has been cancelled");
      return std::unexpected(Ended{allocation_failed({ErrorCode::already_done, {}})});
    }
    if (queued) print_info(kProgram, fmt::format("job {} has been allocated resources", job.value));
    return job;
  }
}

Ended SrunController::revoke(JobId job, int) {
  print_info(kProgram, fmt::format("Job allocation {} has been revoked", job.value));
  release(job, 0);
  print_info(kProgram, fmt::format("Force Terminated JobId={}", job.value));
  return {failure_code()};
}

bool SrunController::reconnect() {
  auto again = Controller::connect(config_);
  if (!again) return false;
  controller_.emplace(std::move(*again));
  return true;
}

std::expected<wire::StepReply, Ended> SrunController::create_step(JobId job) {
  auto request = make_step_request(plan_, job, launcher(), JobEnvironment::of_process());
  bool told = false;
  auto say_waiting = [&] {
    if (told || plan_.options.quiet) return;
    print_info(kProgram,
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
      print_info(kProgram, fmt::format("Cancelled pending step for job {}", job.value));
      return std::unexpected(Ended{failure_code()});
    }
    Result<wire::Answer>& answer = *waited;
    if (!answer && is_connection_lost(answer.error())) {
      while (!reconnect()) std::this_thread::sleep_for(500ms);
      continue;
    }
    if (!answer) return std::unexpected(Ended{step_failed(job, answer.error())});
    auto* reply = std::get_if<wire::StepReply>(&*answer);
    if (!reply) return std::unexpected(Ended{step_failed(job, {ErrorCode::protocol_version, {}})});
    if (told)
      print_info(kProgram,
                 fmt::format("Step created for StepId={}.{}", job.value, step_name(reply->step)));
    return std::move(*reply);
  }
}

bool SrunController::cancel_step(JobId job, StepId step) {
  // A connection of its own: the kept one may have an answer under way.
  auto controller = Controller::connect(config_);
  if (!controller) return false;
  wire::CancelRequest request;
  request.jobs.push_back({job, {}, step});
  auto reply = controller->ask_for<wire::CancelReply>(request);
  return reply && reply->errors.empty();
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
  return found.ending.has_value() || is_ended(found.state);
}

void SrunController::start_keeping(JobId job) {
  kept_job_ = job;
  if (controller_ && !controller_->send(wire::WaitJobRequest{job, false})) controller_.reset();
}

void SrunController::on_readable() {
  // The job's end, or the controller's: the step itself tells what matters of either.
  auto frame = controller_->channel().try_receive();
  if (!frame) controller_.reset();
}

void SrunController::reconnect_if_lost() {
  if (is_lost() && reconnect()) start_keeping(*kept_job_);
}

void SrunController::release(JobId job, std::uint32_t wait_status) {
  kept_job_.reset();
  // The answer to the wait above may come before the one to this.
  auto ask = [&]() -> Result<void> {
    if (auto sent = controller_->send(wire::ReleaseRequest{job, wait_status}); !sent) return sent;
    while (true) {
      auto answer = controller_->receive(config_.message_timeout);
      if (!answer) return std::unexpected(answer.error());
      if (std::holds_alternative<wire::Done>(*answer)) return {};
    }
  };
  Result<void> done = fail(ErrorCode::communication);
  if (controller_) done = ask();
  if (!done && is_connection_lost(done.error()) && reconnect()) done = ask();
  if (!done && done.error().code != ErrorCode::invalid_job_id)
    print_error(kProgram,
                fmt::format("Unable to release job {}: {}", job.value, done.error().text()));
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
