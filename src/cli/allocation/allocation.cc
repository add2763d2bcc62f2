// Asks for an allocation, waits for it, and keeps the connection that owns it.
#include "cli/allocation/allocation.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "base/text/date.h"
#include "base/text/strings.h"
#include "cli/allocation/advice.h"
#include "cli/lib/notices.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

// A job that starts within this time gets no messages about waiting.
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
  if (const std::string line = line_before(error); !line.empty()) print_error(program(), line);
  bool as_salloc = is_salloc() && error.code != ErrorCode::nodes_busy;
  std::string text = error.shown();
  if (options_.test_only) {
    std::fputs(fmt::format("allocation failure: {}\n", text).c_str(), stderr);
    return failure_code();
  }
  if (error.code != ErrorCode::invalid_gres)
    text.insert(0, as_salloc ? "Job submit/allocate failed: " : "Unable to allocate resources: ");
  print_error(program(), text);
  advise(program(), options_, error);
  const bool in_a_hurry = options_.immediate_s && error.code == ErrorCode::nodes_busy;
  return in_a_hurry ? immediate_failure_code() : failure_code();
}

std::expected<JobId, Ended> Allocation::submit(const wire::SubmitRequest& request) {
  auto reply = controller_->ask_for<wire::SubmitReply>(request);
  for (const std::string& line : take_notices())
    reply ? print_info(program(), line) : print_error(program(), line);
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
  return reply->job;
}

std::expected<std::vector<wire::JobView>, Ended> Allocation::allocate(
    const wire::SubmitRequest& request) {
  auto job = submit(request);
  if (!job) return std::unexpected(job.error());
  Clock::time_point asked = Clock::now();
  auto granted = wait_for_start(*job);
  waited_ = std::chrono::floor<Millis>(Clock::now() - asked);
  if (granted) say_started(*job);
  return granted;
}

void Allocation::say(std::string_view text) const {
  if (!options_.quiet) print_info(program(), text);
}

void Allocation::say_queued(JobId job) {
  if (std::exchange(said_queued_, true)) return;
  if (options_.spec.hold) say("Job is in held state, pending scheduler release");
  if (is_salloc()) say(fmt::format("Pending job allocation {}", job.value));
  say(fmt::format("job {} queued and waiting for resources", job.value));
}

std::expected<Result<wire::Answer>, Ended> Allocation::wait_in_queue(JobId job) {
  if (!give_up_ && options_.immediate_s.value_or(0) > 1)
    give_up_ = Clock::now() + Seconds{*options_.immediate_s};
  auto answer =
      wait_answer(said_queued_ ? Millis{0} : kQueuedAfter, [&] { say_queued(job); }, give_up_);
  if (!answer && answer.error().signal == 0) {
    release(job, 0);
    if (!is_salloc()) return std::unexpected(Ended{failed({ErrorCode::nodes_busy, {}})});
    print_error(program(), "Unable to allocate resources: Connection timed out");
    return std::unexpected(Ended{immediate_failure_code()});
  }
  if (!answer) return std::unexpected(revoke(job));
  return std::move(*answer);
}

void Allocation::reconnect_while_queued(JobId job) {
  say_queued(job);
  while (!reconnect()) std::this_thread::sleep_for(500ms);
}

std::expected<std::vector<wire::JobView>, Ended> Allocation::wait_for_start(JobId job, bool ready) {
  while (true) {
    auto sent = controller_->send(wire::WaitJobRequest{.job = job,
                                                       .until_started = true,
                                                       .ownership = wire::Ownership::take,
                                                       .step = {},
                                                       .until_ready = ready});
    std::expected<Result<wire::Answer>, Ended> waited =
        sent ? wait_in_queue(job) : Result<wire::Answer>(std::unexpected(sent.error()));
    if (!waited) return std::unexpected(waited.error());
    Result<wire::Answer>& answer = *waited;
    if (!answer && is_connection_lost(answer.error())) {
      reconnect_while_queued(job);
      continue;
    }
    if (!answer) return std::unexpected(Ended{failed(answer.error())});
    auto* reply = std::get_if<wire::JobsReply>(&*answer);
    if (!reply || reply->jobs.empty())
      return std::unexpected(Ended{failed({ErrorCode::protocol_version, {}})});
    if (is_ended(reply->jobs.front().job->state)) return std::unexpected(cancelled(job));
    return std::move(reply->jobs);
  }
}

std::expected<void, Ended> Allocation::wait_until_ready(const std::vector<wire::JobView>& granted) {
  const JobId job = granted.front().job->id;
  if (std::ranges::none_of(granted, [](const auto& view) { return view.job->run->preparing; }))
    return {};
  say("Waiting for resource configuration");
  said_queued_ = true;  // no more messages about the queue
  auto views = wait_for_start(job, true);
  if (!views) return std::unexpected(views.error());
  std::vector<std::string> nodes;
  for (const wire::JobView& view : *views) nodes.push_back(view.nodes.str());
  say(fmt::format("Nodes {} are ready for job", join(nodes, ",")));
  return {};
}

void Allocation::say_started(JobId job) {
  if (said_queued_) say(fmt::format("job {} has been allocated resources", job.value));
}

Ended Allocation::cancelled(JobId job) {
  if (is_salloc()) {
    say(fmt::format("Job allocation {} has been revoked.", job.value));
    return {failure_code()};
  }
  say("Job has been cancelled");
  return {failed({ErrorCode::already_done, {}})};
}

Ended Allocation::revoke(JobId job) {
  release(job, 0);
  if (is_salloc()) {
    say(fmt::format("Job allocation {} has been revoked.", job.value));
    say("Job aborted due to signal");
  } else {
    say(fmt::format("Job allocation {} has been revoked", job.value));
    say(fmt::format("Force Terminated JobId={}", job.value));
  }
  return {failure_code()};
}

bool Allocation::reconnect() {
  auto again = Controller::connect(config_);
  if (!again) return false;
  controller_.emplace(std::move(*again));
  awaits_end_ = false;
  return true;
}

void Allocation::start_keeping(JobId job) {
  kept_job_ = job;
  if (!controller_ || awaits_end_) return;
  if (!controller_->send(wire::WaitJobRequest{job, false, wire::Ownership::take}))
    controller_.reset();
}

void Allocation::on_readable() {
  while (true) {
    auto frame = controller_->channel().try_receive();
    if (!frame) return controller_.reset();
    if (!*frame) return;
    auto reply = decode<wire::ReplyFrame>(**frame);
    // The answer to WaitJobRequest: the job has ended or is unknown.
    if (reply && !say_notice(reply->answer)) ended_ = true;
  }
}

// Prints a message of scontrol notify; false for any other answer.
bool Allocation::say_notice(const wire::Answer& answer) const {
  const auto* notice = std::get_if<wire::Notice>(&answer);
  if (notice) say(notice->text.view());
  return notice != nullptr;
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
  // The answer to an earlier WaitJobRequest may come first.
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
