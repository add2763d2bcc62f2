#include "cli/allocation.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "base/codec.h"
#include "base/date.h"

namespace muster::cli {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// A job that starts within this time was never noticed waiting.
constexpr Millis kQueuedAfter{250};

}  // namespace

bool is_connection_lost(const Error& error) {
  return error.code == ErrorCode::communication || error.code == ErrorCode::zero_bytes ||
         error.code == ErrorCode::timed_out;
}

bool ends_command(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGQUIT || signal == SIGHUP;
}

int Allocation::failed(const Error& error) const {
  const RefusalLines lines = refusal_lines(error);
  if (!lines.before.empty()) print_error(program(), lines.before);
  bool own_code = error.code == ErrorCode::failure || error.code >= ErrorCode::not_supported_yet ||
                  error.code == ErrorCode::communication;
  bool as_salloc = is_salloc() && error.code != ErrorCode::nodes_busy;
  print_error(program(),
              fmt::format("{}: {}",
                          as_salloc ? "Job submit/allocate failed" : "Unable to allocate resources",
                          own_code ? error.text() : std::string(error_text(error.code))));
  if (!lines.after.empty()) print_error(program(), lines.after);
  return failure_code();
}

std::expected<std::vector<wire::JobView>, Ended> Allocation::allocate(
    const wire::SubmitRequest& request) {
  auto reply = controller_->ask_for<wire::SubmitReply>(request);
  if (!reply) return std::unexpected(Ended{failed(reply.error())});
  if (!options_.quiet)
    for (const std::string& warning : reply->warnings) print_info(program(), warning);
  if (request.test_only) {
    print_info(program(),
               fmt::format("Job {} to start at {} using {} processors on nodes {} in partition {}",
                           reply->job.value, format_date(reply->would_start), reply->cpus,
                           reply->nodes.view(), reply->partition.view()));
    return std::unexpected(Ended{0});
  }
  Clock::time_point asked = Clock::now();
  auto granted = wait_for_start(reply->job);
  waited_ = std::chrono::floor<Millis>(Clock::now() - asked);
  return granted;
}

void Allocation::say_queued(JobId job) {
  if (options_.quiet) return;
  if (is_salloc()) print_info(program(), fmt::format("Pending job allocation {}", job.value));
  if (options_.spec.hold) print_info(program(), "Job is in held state, pending scheduler release");
  print_info(program(), fmt::format("job {} queued and waiting for resources", job.value));
}

std::expected<std::vector<wire::JobView>, Ended> Allocation::wait_for_start(JobId job) {
  bool queued = false;
  auto on_slow = [&] {
    if (!queued) say_queued(job);
    queued = true;
  };
  while (true) {
    auto sent = controller_->send(wire::WaitJobRequest{job, true, wire::Ownership::take});
    std::expected<Result<wire::Answer>, Interrupted> waited =
        sent ? wait_answer(queued ? Millis{0} : kQueuedAfter, on_slow)
             : Result<wire::Answer>(std::unexpected(sent.error()));
    if (!waited) return std::unexpected(revoke(job));
    Result<wire::Answer>& answer = *waited;
    if (!answer && is_connection_lost(answer.error())) {
      on_slow();
      while (!reconnect()) std::this_thread::sleep_for(500ms);
      continue;
    }
    if (!answer) return std::unexpected(Ended{failed(answer.error())});
    auto* reply = std::get_if<wire::JobsReply>(&*answer);
    if (!reply || reply->jobs.empty())
      return std::unexpected(Ended{failed({ErrorCode::protocol_version, {}})});
    wire::JobView& view = reply->jobs.front();
    if (is_ended(view.job->state)) {
      if (is_salloc()) {
        print_info(program(), fmt::format("Job allocation {} has been revoked.", job.value));
        return std::unexpected(Ended{failure_code()});
      }
      print_info(program(), "Job has been cancelled");
      return std::unexpected(Ended{failed({ErrorCode::already_done, {}})});
    }
    if (queued && !options_.quiet)
      print_info(program(), fmt::format("job {} has been allocated resources", job.value));
    return std::move(reply->jobs);
  }
}

Ended Allocation::revoke(JobId job) {
  release(job, 0);
  if (is_salloc()) {
    print_info(program(), fmt::format("Job allocation {} has been revoked.", job.value));
    print_info(program(), "Job aborted due to signal");
  } else {
    print_info(program(), fmt::format("Job allocation {} has been revoked", job.value));
    print_info(program(), fmt::format("Force Terminated JobId={}", job.value));
  }
  return {failure_code()};
}

bool Allocation::reconnect() {
  auto again = Controller::connect(config_);
  if (!again) return false;
  controller_.emplace(std::move(*again));
  return true;
}

void Allocation::start_keeping(JobId job) {
  kept_job_ = job;
  if (controller_ && !controller_->send(wire::WaitJobRequest{job, false, wire::Ownership::take}))
    controller_.reset();
}

void Allocation::on_readable() {
  auto frame = controller_->channel().try_receive();
  if (!frame) return controller_.reset();
  if (!*frame) return;
  auto reply = decode<wire::ReplyFrame>(**frame);
  // The answer to the wait: the job has ended, or nobody knows it any more.
  if (reply) ended_ = true;
}

void Allocation::reconnect_if_lost() {
  if (is_lost() && reconnect()) start_keeping(*kept_job_);
}

void Allocation::leave(JobId job) {
  auto left = controller_->ask_for<wire::JobsReply>(
      wire::WaitJobRequest{job, true, wire::Ownership::leave});
  if (!left)
    print_error(program(),
                fmt::format("Unable to leave job {}: {}", job.value, left.error().text()));
}

void Allocation::release(JobId job, std::uint32_t wait_status) {
  kept_job_.reset();
  // The answer to a wait may come before the one to this.
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
    print_error(program(),
                fmt::format("Unable to release job {}: {}", job.value, done.error().text()));
}

}  // namespace muster::cli
