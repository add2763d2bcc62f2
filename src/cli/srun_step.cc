#include "cli/srun_step.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "base/codec.h"
#include "base/strings.h"
#include "cli/lib/name_lookup.h"
#include "cli/step_connection.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxQueuedInput = 1u << 20;
constexpr std::size_t kReadSize = 64u << 10;
// Tasks of one node that end together share a message.
constexpr Millis kGatherExits{50};

// Blocking, whatever mode the descriptor is in. False once nobody reads any more.
bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    pollfd ready{fd, POLLOUT, 0};
    poll(&ready, 1, -1);
  }
  return true;
}

}  // namespace

StepRunner::StepRunner(const SrunPlan& plan, JobId job, wire::StepReply reply,
                       SrunController& controller, SignalQueue& signals)
    : plan_(plan),
      job_(job),
      reply_(std::move(reply)),
      controller_(controller),
      signals_(signals),
      in_target_(plan.in),
      out_target_(plan.out),
      err_target_(plan.err),
      lines_(
          OutputStyle{plan.options.label, reply_.num_tasks, plan.options.unbuffered || plan.pty}) {
  for (StreamTarget* target : {&in_target_, &out_target_, &err_target_})
    *target = target->in_step_of(reply_.num_tasks);
  for (const wire::StepPlace& place : reply_.places) {
    places_.push_back({.where = place});
    book_.add_place(place.node.str(), place.ranks);
  }
}

StepRunner::~StepRunner() {
  if (out_.owned) close(out_.fd);
  if (err_.owned && err_.fd != out_.fd) close(err_.fd);
  if (in_fd_ > STDERR_FILENO) close(in_fd_);
}

std::string StepRunner::step_text() const {
  return fmt::format("{}.{}", job_.value, step_name(reply_.step));
}

bool StepRunner::all_finished() const {
  return std::ranges::all_of(places_, [](const Place& place) { return place.finished; });
}

// --- files ---

std::optional<StepRunner::Sink> StepRunner::open_sink(const StreamTarget& target, int own_fd,
                                                      std::string_view what) {
  if (target.kind != StreamTarget::Kind::file) return Sink{own_fd, false};
  FileNameParts parts;
  const JobEnvironment own = JobEnvironment::of_process();
  parts.job = job_;
  auto number = [&](std::string_view name) { return parse_number<std::uint32_t>(own.value(name)); };
  if (plan_.options.job_id) {
    parts.array = JobId{number("SLURM_ARRAY_JOB_ID").value_or(0)};
    parts.task_id = number("SLURM_ARRAY_TASK_ID").value_or(kNoTask);
  }
  parts.step = reply_.step;
  parts.job_name = plan_.options.spec.name.str();
  parts.user_name = NameLookup().user(own_uid());
  parts.host = short_host_name();
  parts.node_index = parts.rank = 0;
  auto fd = open_output(absolute_path(expand_file_name(target.pattern, parts)),
                        plan_.options.spec.open_mode);
  if (fd) return Sink{*fd, true};
  print_error(plan_.program, fmt::format("Could not open {} file: {}", what, fd.error().text()));
  return std::nullopt;
}

bool StepRunner::open_files() {
  auto out = open_sink(out_target_, STDOUT_FILENO, "stdout");
  if (!out) return false;
  out_ = *out;
  // The same file is opened once, so that both streams follow each other in it.
  bool shared = err_target_ == out_target_ && err_target_.kind == StreamTarget::Kind::file;
  auto err = shared ? std::optional(Sink{out_.fd, false})
                    : open_sink(err_target_, STDERR_FILENO, "stderr");
  if (!err) return false;
  err_ = *err;

  using Kind = StreamTarget::Kind;
  if (in_target_.kind == Kind::nothing || in_target_.kind == Kind::nodes) return true;
  in_fd_ = STDIN_FILENO;
  in_open_ = true;
  if (in_target_.kind != Kind::file) return true;
  auto fd = open_input(absolute_path(in_target_.pattern));
  if (!fd) {
    print_error(plan_.program, fmt::format("Could not open stdin file: {}", fd.error().text()));
    return false;
  }
  in_fd_ = *fd;
  return true;
}

// --- connecting ---

Result<io::Channel> StepRunner::join_step(const Place& place, bool exchanges) const {
  Clock::time_point until = Clock::now() + controller_.config().message_timeout;
  auto channel = connect_to_node(controller_.config(), place.where);
  while (!channel && Clock::now() < until) {  // a slurmd that is being restarted
    std::this_thread::sleep_for(200ms);
    channel = connect_to_node(controller_.config(), place.where);
  }
  if (!channel) return channel;
  wire::AttachRequest request;
  request.ref = {place.where.job, place.where.attempt, reply_.step};
  request.key = place.where.key;
  request.sends_input = in_open_;
  request.exchanges = exchanges;
  if (auto sent = channel->send(encode(wire::NodeCall{request})); !sent)
    return std::unexpected(sent.error());
  return channel;
}

bool StepRunner::connect_place(Place& place) {
  auto channel = join_step(place, false);
  if (channel) place.channel.emplace(std::move(*channel));
  if (channel && !plan_.mpi.empty()) {
    channel = join_step(place, true);
    if (channel) place.exchange.emplace(std::move(*channel));
  }
  if (channel) return true;
  print_error(plan_.program,
              fmt::format("Task launch for StepId={} failed on node {}: {}", step_text(),
                          place.where.node.view(), channel.error().text()));
  return false;
}

void StepRunner::start_hub() {
  std::vector<io::Channel> channels;
  for (Place& place : places_)
    if (place.exchange) channels.push_back(std::move(*place.exchange));
  if (!channels.empty()) hub_ = std::make_unique<ExchangeHub>(std::move(channels));
}

bool StepRunner::connect() {
  constexpr std::size_t kAtOnce = 16;
  std::size_t threads = std::min(places_.size(), places_.size() > 4 ? kAtOnce : std::size_t{1});
  std::atomic<std::size_t> next{0};
  std::atomic<bool> all{true};
  auto work = [&] {
    for (std::size_t i; (i = next++) < places_.size();)
      if (!connect_place(places_[i])) all = false;
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (all) {
    start_hub();
    return true;
  }
  if (plan_.looks_on) return false;
  print_error(plan_.program, "Application launch failed: Communication connection failure");
  controller_.cancel_step(job_, reply_.step);
  return false;
}

// --- the loop ---

void StepRunner::run() {
  if (plan_.pty) send_window_size();
  if (in_target_.kind == StreamTarget::Kind::one_task && !plan_.looks_on) end_input_of_others();
  while (!all_finished() && !gave_up_) {
    poll_once();
    on_time();
  }
  for (const auto& place : places_)
    for (std::uint32_t rank : place.where.ranks)
      for (bool is_stderr : {false, true}) write_out(is_stderr, lines_.finish(rank, is_stderr));
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
  std::size_t queued = 0;
  std::vector<pollfd> fds{
      {signals_.fd(), POLLIN, 0}, {controller_.fd(), POLLIN, 0}, {-1, POLLIN, 0}};
  for (const Place& place : places_) {
    if (place.finished) {
      fds.push_back({-1, 0, 0});
      continue;
    }
    short events = POLLIN;
    if (place.channel->queued_bytes() > 0) events |= POLLOUT;
    queued = std::max(queued, place.channel->queued_bytes());
    fds.push_back({place.channel->fd(), events, 0});
  }
  if (in_open_ && queued < kMaxQueuedInput) fds[2].fd = in_fd_;
  if (poll(fds.data(), fds.size(), poll_timeout_ms()) <= 0) return;

  if (fds[0].revents != 0)
    while (auto signal = signals_.take()) on_signal(*signal);
  if (fds[1].revents != 0) controller_.on_readable();
  if (fds[2].revents != 0) read_input();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (place.finished || fds[i + 3].revents == 0) continue;
    if ((fds[i + 3].revents & POLLOUT) != 0 && !place.channel->try_flush()) {
      lose(place);
      continue;
    }
    if ((fds[i + 3].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_place(place);
  }
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
    print_info(plan_.program, fmt::format("First task exited {}s ago", *plan_.options.wait_s));
    say_status();
    print_info(plan_.program, fmt::format("Terminating StepId={}", step_text()));
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

void StepRunner::read_place(Place& place) {
  while (!place.finished) {
    auto frame = place.channel->try_receive();
    if (!frame) return lose(place);
    if (!*frame) return;
    auto message = decode<wire::FromStepFrame>(**frame);
    if (!message) return lose(place);
    on_message(place, std::move(message->message));
  }
}

void StepRunner::on_message(Place& place, wire::FromStep&& message) {
  if (auto* output = std::get_if<wire::TaskOutput>(&message)) return on_output(*output);
  if (auto* start = std::get_if<wire::TaskStarted>(&message)) return book_.started(start->rank);
  if (auto* exit = std::get_if<wire::TaskExited>(&message)) return on_exited(*exit);
  if (auto* said = std::get_if<wire::StepMessage>(&message)) {
    std::string line = said->text;
    if (!line.ends_with('\n')) line += '\n';
    write_all(STDERR_FILENO, line);
    return;
  }
  if (auto* aborted = std::get_if<wire::StepAborted>(&message)) return on_aborted(aborted->text);
  if (std::holds_alternative<wire::StepFinished>(message)) {
    place.finished = true;
    place.channel.reset();
    book_.lost(place.where.node.str());  // those that were never started
    flush_messages();
  }
}

void StepRunner::on_aborted(const std::string& text) {
  if (terminating_ || plan_.looks_on) return;
  print_info(plan_.program, fmt::format("StepId={}: {}", step_text(), text));
  terminate();
}

void StepRunner::lose(Place& place) {
  place.finished = true;
  place.channel.reset();
  if (!terminating_)
    print_error(plan_.program,
                fmt::format("Lost the connection to the step on {}", place.where.node.view()));
  book_.lost(place.where.node.str());
  flush_messages();
}

// --- output and input ---

void StepRunner::write_out(bool is_stderr, std::string_view bytes) {
  Sink& sink = is_stderr ? err_ : out_;
  if (bytes.empty() || sink.fd < 0) return;
  if (!write_all(sink.fd, bytes)) {
    if (sink.owned)
      print_error(plan_.program,
                  fmt::format("Writing the tasks' output failed: {}", std::strerror(errno)));
    if (sink.owned) close(sink.fd);
    sink = {};  // the tasks go on; nobody reads what they print
  }
}

void StepRunner::on_output(const wire::TaskOutput& output) {
  const StreamTarget& target = output.is_stderr ? err_target_ : out_target_;
  if (target.kind == StreamTarget::Kind::nothing || (plan_.pty && output.rank != 0)) return;
  if (target.kind == StreamTarget::Kind::one_task && target.rank != output.rank) return;
  write_out(output.is_stderr, output.bytes.empty()
                                  ? lines_.finish(output.rank, output.is_stderr)
                                  : lines_.take(output.rank, output.is_stderr, output.bytes));
}

void StepRunner::read_input() {
  std::array<char, kReadSize> buffer;
  ssize_t count = read(in_fd_, buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) in_open_ = false;
  if (count <= 0 && plan_.looks_on) return;  // the end of input is the owner's to tell
  send_input(std::string_view(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0));
}

void StepRunner::send_input(std::string_view bytes) {
  wire::TaskInput input;
  input.bytes = bytes;
  bool one = in_target_.kind == StreamTarget::Kind::one_task;
  if (one) input.rank = in_target_.rank;
  for (Place& place : places_) {
    if (one && std::ranges::find(place.where.ranks, in_target_.rank) == place.where.ranks.end())
      continue;
    send(place, input);
  }
}

void StepRunner::end_input_of_others() {
  for (Place& place : places_)
    for (std::uint32_t rank : place.where.ranks)
      if (rank != in_target_.rank) send(place, wire::TaskInput{rank, {}});
}

void StepRunner::send_window_size() {
  winsize size{};
  if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0) return;
  for (Place& place : places_) send(place, wire::WindowSize{size.ws_row, size.ws_col});
}

void StepRunner::send(Place& place, const wire::ToStep& message) {
  if (place.finished || !place.channel) return;
  place.channel->queue(encode(wire::ToStepFrame{message}));
  if (!place.channel->try_flush()) lose(place);
}

// --- ends ---

void StepRunner::on_exited(const wire::TaskExited& exit) {
  book_.exited(exit.rank, exit.wait_status, exit.out_of_memory);
  Clock::time_point now = Clock::now();
  if (book_.has_messages() && !tell_at_) tell_at_ = now + kGatherExits;
  bool failed = exit.wait_status != 0 || exit.out_of_memory;
  if (terminating_ || book_.all_exited()) return;
  if (failed && plan_.options.kill_on_bad_exit.value_or(0) != 0) {
    flush_messages();
    return terminate();
  }
  std::uint32_t wait = plan_.options.wait_s.value_or(0);
  if (wait > 0 && !wait_until_) wait_until_ = now + Seconds{wait};
}

void StepRunner::flush_messages() {
  tell_at_.reset();
  if (plan_.pty) return;  // the terminal is raw: tell_ends() says it later
  tell_ends();
}

void StepRunner::tell_ends() {
  for (const std::string& line : book_.take_messages()) print_error(plan_.program, line);
  if (!all_finished() || !book_.any_signalled() || aborting_ || plan_.looks_on || told_forced_)
    return;
  told_forced_ = true;
  print_info(plan_.program, fmt::format("Force Terminated StepId={}", step_text()));
}

void StepRunner::say_status() {
  for (const std::string& line : book_.status_lines(step_text())) print_info(plan_.program, line);
}

// --- signals ---

void StepRunner::on_signal(int signal) {
  if (plan_.looks_on) {
    if (!ends_command(signal)) return;
    left_by_ = signal;
    gave_up_ = true;
    return;
  }
  switch (signal) {
    case SIGWINCH:
      if (plan_.pty) send_window_size();
      return;
    case SIGINT:
      return on_interrupt();
    case SIGQUIT:
      print_info(plan_.program, "Quit");
      return force_end();
    case SIGTERM:
    case SIGHUP:
      // The end of the whole job: its tasks were told and have their grace; we only wait for them.
      if (plan_.options.job_id && controller_.is_ending(job_)) return;
      return force_end();
    case SIGCONT:
      return print_info(plan_.program, "got SIGCONT");
    case SIGALRM:
      return;
    default:
      return send_signal(signal);
  }
}

// The first one asks how things stand; a second within a second ends the step. With -X it goes to
// the tasks, which may do with it what they like.
void StepRunner::on_interrupt() {
  Clock::time_point now = Clock::now();
  bool again = last_interrupt_ && now - *last_interrupt_ <= 1s;
  last_interrupt_ = now;
  bool at_once = plan_.options.quit_on_interrupt || plan_.options.disable_status;
  if (!again && !at_once) {
    print_info(plan_.program, "interrupt (one more within 1 sec to abort)");
    return say_status();
  }
  print_info(plan_.program, fmt::format("sending Ctrl-C to StepId={}", step_text()));
  send_signal(SIGINT);
  if (again || plan_.options.quit_on_interrupt) force_end();
}

void StepRunner::force_end() {
  if (aborting_) return print_info(plan_.program, "job abort in progress");
  print_info(plan_.program, "forcing job termination");
  abort_step();
}

void StepRunner::send_signal(int signal) {
  for (Place& place : places_) send(place, wire::TaskSignal{signal});
}

void StepRunner::terminate() {
  if (terminating_) return;
  terminating_ = true;
  print_info(plan_.program, fmt::format("Terminating StepId={}", step_text()));
  // The controller tells the nodes, which tell the tasks why; without it the signals go directly.
  if (!controller_.cancel_step(job_, reply_.step, SIGTERM)) send_signal(SIGTERM);
  kill_at_ = Clock::now() + controller_.config().kill_wait;
}

void StepRunner::abort_step() {
  if (aborting_) return;
  print_info(plan_.program,
             fmt::format("Job step aborted: Waiting up to {} seconds for job step to finish.",
                         abort_wait().count()));
  terminating_ = aborting_ = true;
  if (!controller_.cancel_step(job_, reply_.step)) send_signal(SIGKILL);
  give_up_at_ = Clock::now() + abort_wait();
}

}  // namespace muster::cli
