// Handles starts and exits of tasks, lost nodes, and signals that srun receives.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "cli/srun/step.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

// Ends of tasks on one node within this time share a message.
constexpr Millis kGatherExits{50};

std::string program_of(std::uint32_t rank, const SrunPlan& plan, const wire::StepReply& reply) {
  const SrunPlan* part = &plan;
  for (std::size_t i = 0; i < plan.parts.size() && i < reply.part_tasks.size(); ++i) {
    if (rank < reply.part_tasks[i]) break;
    rank -= reply.part_tasks[i];
    part = &plan.parts[i];
  }
  auto own = part->task.argv_by_rank.find(rank);
  return own == part->task.argv_by_rank.end() ? part->task.argv.front() : own->second.front();
}

}  // namespace

// --- nodes ---

// Nodes behind a lost node cannot be reached any more, so the step is terminated.
void StepRunner::lose(Link& link) {
  link.channel.reset();
  const bool aborted = terminating_;
  bool relayed = false;
  for (Place& place : places_of(link)) {
    if (place.finished) continue;
    lost_ = true;
    relayed = relayed || &place != &places_of(link).front();
    if (!aborted)
      print_error(plan_.program,
                  fmt::format("Lost the connection to the step on {}", place.where.node.view()));
    finish(place);
  }
  if (relayed && !aborted && !plan_.is_observer) terminate();
}

void StepRunner::on_lost(const wire::PlacesLost& lost) {
  const bool aborted = terminating_;
  for (std::uint32_t number : lost.places) {
    if (number >= places_.size() || places_[number].finished) continue;
    Place& place = places_[number];
    lost_ = true;
    if (lost.never_joined)
      say_launch_failed(place, lost.text);
    else if (!aborted)
      print_error(plan_.program,
                  fmt::format("Lost the connection to the step on {}", place.where.node.view()));
    finish(place);
  }
  if (!aborted && !plan_.is_observer && (lost.never_joined || lost.places.size() > 1)) terminate();
}

// --- tasks ---

// --debugger-test: prints what a debugger would attach to.
void StepRunner::on_started(const wire::TaskStarted& start) {
  book_.started(start.rank, start.pid);
  if (!plan_.task.stopped || plan_.options.quiet || !book_.all_started()) return;
  auto program = [this](std::uint32_t rank) { return program_of(rank, plan_, reply_); };
  for (const std::string& line : book_.process_lines(program)) say(line);
}

void StepRunner::on_exited(const wire::TaskExited& exit) {
  book_.exited(exit.rank, exit.wait_status, exit.out_of_memory);
  Clock::time_point now = Clock::now();
  if (book_.has_messages() && !tell_at_) tell_at_ = now + kGatherExits;
  bool failed = exit.wait_status != 0 || exit.out_of_memory;
  if (terminating_ || book_.all_exited()) return;
  if (failed && plan_.task.kill_on_bad_exit) {
    flush_messages();
    return terminate();
  }
  std::uint32_t wait = plan_.options.wait_s.value_or(0);
  if (wait > 0 && !wait_until_) wait_until_ = now + Seconds{wait};
}

void StepRunner::flush_messages() {
  tell_at_.reset();
  if (plan_.task.pty) return;  // the terminal is in raw mode: tell_ends() prints it later
  tell_ends();
}

void StepRunner::say_failures(std::string_view node) {
  for (const std::string& line : book_.take_messages(node)) print_error(plan_.program, line);
}

void StepRunner::tell_ends() {
  say_failures();
  if (!all_finished() || !book_.any_forced() || plan_.options.quiet || aborting_ ||
      plan_.is_observer || told_forced_)
    return;
  told_forced_ = true;
  say(fmt::format("Force Terminated StepId={}", step_text()));
}

void StepRunner::say(std::string_view text) const {
  if (!plan_.options.quiet) print_info(plan_.program, text);
}

void StepRunner::say_status() {
  for (const std::string& line : book_.status_lines(step_text())) say(line);
}

// --- signals ---

void StepRunner::on_signal(int signal) {
  if (plan_.is_observer) {
    if (!ends_command(signal)) return;
    left_by_ = signal;
    gave_up_ = true;
    return;
  }
  switch (signal) {
    case SIGWINCH:
      if (plan_.task.pty) send_window_size();
      return;
    case SIGINT:
      return on_interrupt();
    case SIGQUIT:
      say("Quit");
      return force_end();
    case SIGTERM:
    case SIGHUP:
      // If the whole job is being ended, its tasks have been signalled and have a grace period:
      // just wait for them.
      if (plan_.options.job_id && controller_.is_ending(job_)) return;
      if (plan_.options.job_id && getppid() != parent_) return end_after_script();
      return force_end();
    case SIGCONT:
      return say("got SIGCONT");
    case SIGALRM:
      return;
    default:
      return send_all(wire::TaskSignal{signal});
  }
}

// The first Ctrl-C prints the state of the step; a second within a second ends the step. With
// --disable-status (-X) Ctrl-C is passed to the tasks.
void StepRunner::on_interrupt() {
  Clock::time_point now = Clock::now();
  bool again = last_interrupt_ && now - *last_interrupt_ <= 1s;
  last_interrupt_ = now;
  bool at_once = plan_.options.quit_on_interrupt || plan_.options.disable_status;
  if (!again && !at_once) {
    say("interrupt (one more within 1 sec to abort)");
    return say_status();
  }
  say(fmt::format("sending Ctrl-C to StepId={}", step_text()));
  send_all(wire::TaskSignal{SIGINT});
  if (again || plan_.options.quit_on_interrupt) force_end();
}

void StepRunner::force_end() {
  if (aborting_) return say("job abort in progress");
  say("forcing job termination");
  abort_step();
}

void StepRunner::terminate() {
  if (terminating_) return;
  terminating_ = true;
  say(fmt::format("Terminating StepId={}", step_text()));
  // The controller orders the nodes to end the step, with a message to its output. If it does not
  // answer, the signals are sent directly.
  if (!controller_.cancel_step(job_, reply_.step, SIGTERM)) send_all(wire::TaskSignal{SIGTERM});
  kill_at_ = Clock::now() + controller_.config().kill_wait;
}

// The batch script has ended without waiting for this srun. The tasks may still have something to
// save.
void StepRunner::end_after_script() {
  if (terminating_) return;
  terminating_ = told_forced_ = true;
  say_waiting();
  if (!controller_.cancel_step(job_, reply_.step, SIGTERM)) send_all(wire::TaskSignal{SIGTERM});
  kill_at_ = Clock::now() + controller_.config().kill_wait;
}

Seconds StepRunner::say_waiting() const {
  const Seconds patience = controller_.config().kill_wait + Seconds{2};
  say(fmt::format("Job step aborted: Waiting up to {} seconds for job step to finish.",
                  patience.count()));
  return patience;
}

// Another command ended the step; its nodes kill the tasks.
void StepRunner::on_cancelled() {
  if (terminating_ || plan_.is_observer || std::exchange(told_forced_, true)) return;
  say_waiting();
}

void StepRunner::abort_step() {
  if (aborting_) return;
  const Seconds patience = say_waiting();
  terminating_ = aborting_ = true;
  if (!controller_.cancel_step(job_, reply_.step)) send_all(wire::TaskSignal{SIGKILL});
  give_up_at_ = Clock::now() + patience;
}

}  // namespace muster::cli
