// The loop of srun while its step runs: signals, controller, nodes, input.
#include "cli/srun/step.h"

#include <malloc.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "base/text/strings.h"
#include "io/loop/poll_set.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxQueuedInput = 1u << 20;
constexpr std::size_t kReadSize = 64u << 10;

}  // namespace

StepRunner::StepRunner(const SrunPlan& plan, JobId job, wire::StepReply reply,
                       SrunController& controller, SignalQueue& signals)
    : plan_(plan),
      job_(job),
      reply_(std::move(reply)),
      controller_(controller),
      signals_(signals),
      streams_(plan, reply_),
      lines_(OutputStyle{plan.task.label, reply_.num_tasks,
                         plan.options.unbuffered || plan.task.pty}) {
  for (const wire::StepPlace& place : reply_.places) {
    places_.push_back({.where = place});
    book_.add_place(place.node.str(), place.ranks);
  }
  for (const Section& run : split_into_sections(places_.size(), controller.config().tree_width))
    links_.push_back({.run = run});
}

std::string StepRunner::step_text() const {
  return fmt::format("{}.{}", job_.value, step_name(reply_.step));
}

bool StepRunner::all_finished() const {
  return std::ranges::all_of(places_, [](const Place& place) { return place.finished; });
}

// --- the loop ---

void StepRunner::run() {
  mallopt(M_TRIM_THRESHOLD, 4 << 20);  // keeps memory, because output buffers come and go
  if (plan_.task.pty) send_window_size();
  if (!plan_.is_observer)
    for (std::uint32_t rank : streams_.without_input()) send_to_rank(rank, {});
  while (!all_finished() && !gave_up_) {
    poll_once();
    on_time();
  }
  for (const auto& place : places_)
    for (std::uint32_t rank : place.where.ranks)
      for (bool is_stderr : {false, true})
        streams_.write(rank, is_stderr, lines_.finish(rank, is_stderr));
  flush_messages();
}

int StepRunner::poll_timeout_ms() const {
  std::optional<Clock::time_point> first;
  for (const auto& moment : {tell_at_, wait_until_, kill_at_, give_up_at_, reconnect_at_})
    if (moment && (!first || *moment < *first)) first = moment;
  if (!first) return -1;
  auto left = std::chrono::ceil<Millis>(*first - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

void StepRunner::poll_once() {
  io::PollSet set;
  set.add(signals_.fd(), POLLIN, [this](short) {
    while (auto signal = signals_.take()) on_signal(*signal);
  });
  set.add(controller_.fd(), POLLIN, [this](short) { controller_.on_readable(); });
  std::size_t queued = 0;
  for (const Link& link : links_)
    if (link.channel) queued = std::max(queued, link.channel->queued_bytes());
  if (queued < kMaxQueuedInput)
    for (StepStreams::Input& input : streams_.inputs())
      set.add(input.fd, POLLIN, [this, &input](short) { read_input(input); });
  for (Link& link : links_) {
    if (!link.channel) continue;
    const short out = link.channel->queued_bytes() > 0 ? POLLOUT : 0;
    set.add(link.channel->fd(), static_cast<short>(POLLIN | out), [this, &link](short happened) {
      // An earlier handler may have lost the link.
      if ((happened & POLLOUT) != 0 && link.channel && !link.channel->try_flush()) lose(link);
      if ((happened & (POLLIN | POLLHUP | POLLERR)) != 0) read_link(link);
    });
  }
  set.wait(poll_timeout_ms());
}

void StepRunner::on_time() {
  Clock::time_point now = Clock::now();
  auto due = [&](std::optional<Clock::time_point>& moment) {
    if (!moment || now < *moment) return false;
    moment.reset();
    return true;
  };
  if (due(tell_at_)) flush_messages();
  if (due(wait_until_) && !terminating_) {
    say(fmt::format("First task exited {}s ago", *plan_.options.wait_s));
    say_status();
    say(fmt::format("Terminating StepId={}", step_text()));
    abort_step();
  }
  if (due(kill_at_)) abort_step();
  if (due(give_up_at_)) {
    print_error(plan_.program, "Timed out waiting for job step to complete");
    gave_up_ = true;
  }
  if (due(reconnect_at_)) controller_.reconnect_if_lost();
  if (controller_.is_lost() && !reconnect_at_) reconnect_at_ = now + 1s;
}

void StepRunner::read_link(Link& link) {
  while (link.channel) {
    auto frame = link.channel->try_receive();
    if (!frame) return lose(link);
    if (!*frame) return;
    auto message = decode<wire::FromStepFrame>(**frame);
    if (!message) return lose(link);
    // A slurmd that refuses, or does not find the step, does not know its place number.
    const Section run = link.run;
    const std::size_t place =
        message->place - run.first < run.count ? std::size_t{message->place} : run.first;
    on_message(places_[place], std::move(message->message));
    hang_up_if_finished(link);
  }
}

// The last connections are closed by the destructor, which delays nobody.
void StepRunner::hang_up_if_finished(Link& link) {
  if (all_finished()) return;
  if (std::ranges::all_of(places_of(link), [](const Place& place) { return place.finished; }))
    link.channel.reset();
}

void StepRunner::on_message(Place& place, wire::FromStep&& message) {
  if (auto* output = std::get_if<wire::TaskOutput>(&message)) return on_output(std::move(*output));
  if (auto* start = std::get_if<wire::TaskStarted>(&message)) return on_started(*start);
  if (auto* exit = std::get_if<wire::TaskExited>(&message)) return on_exited(*exit);
  if (auto* said = std::get_if<wire::StepMessage>(&message)) {
    std::string line = said->text;
    if (!line.ends_with('\n')) line += '\n';
    write_all(STDERR_FILENO, line);
    if (said->ends_step) on_cancelled();
    return;
  }
  if (auto* aborted = std::get_if<wire::StepAborted>(&message)) return on_aborted(aborted->text);
  if (auto* lost = std::get_if<wire::PlacesLost>(&message)) return on_lost(*lost);
  if (std::holds_alternative<wire::StepFinished>(message)) finish(place);
}

void StepRunner::finish(Place& place) {
  place.finished = true;
  book_.lost(place.where.node.str());  // its tasks never started
  if (!plan_.task.pty) say_failures(place.where.node);
}

void StepRunner::on_aborted(const std::string& text) {
  if (terminating_ || plan_.is_observer) return;
  say(fmt::format("StepId={}: {}", step_text(), text));
  book_.aborted();
  terminate();
}

// --- output and input ---

void StepRunner::on_output(wire::TaskOutput&& output) {
  if (!streams_.shows(output.rank, output.is_stderr) || (plan_.task.pty && output.rank != 0))
    return;
  streams_.write(output.rank, output.is_stderr,
                 output.bytes.empty()
                     ? lines_.finish(output.rank, output.is_stderr)
                     : lines_.take(output.rank, output.is_stderr, std::move(output.bytes)));
}

void StepRunner::read_input(StepStreams::Input& input) {
  std::array<char, kReadSize> buffer;
  ssize_t count = read(input.fd, buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0 && input.fd > STDERR_FILENO) close(input.fd);
  if (count <= 0) input.fd = -1;
  if (count <= 0 && plan_.is_observer)
    return;  // only the srun that started the step ends its input
  send_input(input,
             std::string_view(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0));
}

void StepRunner::send_input(const StepStreams::Input& input, std::string_view bytes) {
  if (input.everybodys && !input.only) {
    wire::TaskInput to_all;
    to_all.bytes = bytes;
    return send_all(to_all);
  }
  for (std::uint32_t rank : input.ranks()) send_to_rank(rank, bytes);
}

void StepRunner::send_to_rank(std::uint32_t rank, std::string_view bytes) {
  auto has_it = [&](const Place& place) {
    return std::ranges::find(place.where.ranks, rank) != place.where.ranks.end();
  };
  for (Link& link : links_)
    if (std::ranges::any_of(places_of(link), has_it))
      send(link, wire::TaskInput{rank, std::string(bytes)});
}

void StepRunner::send_window_size() {
  winsize size{};
  if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0) return;
  send_all(wire::WindowSize{size.ws_row, size.ws_col});
}

void StepRunner::send(Link& link, const wire::ToStep& message) {
  if (!link.channel) return;
  link.channel->queue(encode(wire::ToStepFrame{message}));
  if (!link.channel->try_flush()) lose(link);
}

// A node that relays passes the message on to the nodes below it.
void StepRunner::send_all(const wire::ToStep& message) {
  for (Link& link : links_) send(link, message);
}

}  // namespace muster::cli
