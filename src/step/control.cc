// Carries out slurmd's commands: signals, suspension, announcements, and sruns that it hands on.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "base/text/date.h"
#include "step/signals.h"
#include "step/supervisor.h"

namespace muster::step {
namespace {

using namespace std::chrono_literals;

constexpr auto kStopAfterTstp = 1s;  // programs that handle TSTP have this long to prepare

}  // namespace

void Supervisor::watch_slurmd(io::PollSet& set) {
  for (auto socket = slurmd_.begin(); socket != slurmd_.end(); ++socket) {
    set.add(socket->fd(), POLLIN, [this, socket](short) {
      bool gone = false;
      read_commands(*socket, gone);
      if (gone) slurmd_.erase(socket);
    });
  }
  // Without a slurmd, wait for the next one.
  if (slurmd_.empty() && !listener_) {
    if (auto listener = io::StepSocket::listen(setup_.step_file.str()))
      listener_ = std::move(*listener);
  }
  if (!listener_) return;
  set.add(listener_->fd(), POLLIN, [this](short) {
    if (auto slurmd = listener_->accept()) slurmd_.push_back(std::move(*slurmd));
  });
}

// Reads signals and the like first: many sruns that want to attach must not delay them.
void Supervisor::read_commands(io::StepSocket& socket, bool& gone) {
  std::vector<io::ReceivedCommand> attaches;
  while (true) {
    auto received = socket.receive();
    if (!received) gone = received.error().code == ErrorCode::zero_bytes;
    if (!received || !*received) break;
    if (std::holds_alternative<io::StepAttach>((*received)->command))
      attaches.push_back(std::move(**received));
    else
      carry_out(std::move(**received), socket);
  }
  for (io::ReceivedCommand& attach : attaches) accept(std::move(attach));
}

void Supervisor::accept(io::ReceivedCommand received) {
  auto& attach = std::get<io::StepAttach>(received.command);
  if (received.fd < 0) return;
  if (attach.request.exchanges)
    exchange_.attach(received.fd, attach.request, std::move(attach.session));
  else
    stdio_.attach(received.fd, attach.request, std::move(attach.session), tasks_);
}

void Supervisor::carry_out(io::ReceivedCommand received, const io::StepSocket& from) {
  if (received.fd >= 0) close(received.fd);
  if (auto* signal = std::get_if<io::StepSignal>(&received.command)) {
    carry_out(*signal);
    // Without this answer slurmd kills the processes itself.
    if (signal->number == SIGKILL && !signal->leader_only) (void)from.send(io::StepHeard{});
  }
  if (auto* suspend = std::get_if<io::StepSuspend>(&received.command)) carry_out(*suspend);
  if (auto* announce = std::get_if<io::StepAnnounce>(&received.command)) carry_out(*announce);
  if (auto* notice = std::get_if<io::StepNotice>(&received.command)) carry_out(*notice);
}

void Supervisor::carry_out(const io::StepSignal& command) {
  if (command.notice && was_told_) return;  // it is repeated for nodes that may have missed it
  if (!started_) {
    if (command.number == SIGTERM || command.number == SIGKILL) early_signal_ = command.number;
    return;
  }
  if (command.number == SIGCONT || command.number == SIGKILL) {
    stop_at_.reset();
    if (cgroup_) (void)cgroup_->freeze(false);
  }
  if (command.number == SIGKILL && !command.leader_only) leave_by_ = Clock::now();
  has_notice_ = has_notice_ || command.notice;
  was_told_ = was_told_ || (command.notice && command.number == SIGTERM);
  if (command.leader_only)
    signal_tasks(tasks_, command.number);
  else if (command.notice && is_batch() && command.number == SIGTERM)
    send_grace_signals();
  else
    signal_all(command.number);
}

void Supervisor::carry_out(const io::StepSuspend& command) {
  if (command.resume) {
    stop_at_.reset();
    freeze(false);
    return;
  }
  signal_all(SIGTSTP);
  stop_at_ = Clock::now() + kStopAfterTstp;
}

std::string Supervisor::own_name() const {
  const wire::StepRef& ref = setup_.launch.ref;
  return is_batch() ? fmt::format("JOB {}", ref.job.value)
                    : fmt::format("STEP {}.{}", ref.job.value, step_name(ref.step));
}

// Only one node announces the end of a step.
void Supervisor::carry_out(const io::StepAnnounce& command) {
  told_to_end_ = told_to_end_ || command.ends_step;
  if (setup_.launch.node_index != 0) return;
  const Time now = std::chrono::floor<Millis>(std::chrono::system_clock::now());
  say(fmt::format("*** {} ON {} CANCELLED AT {}{} ***", own_name(), setup_.node_name.view(),
                  format_date(now), command.suffix),
      command.ends_step);
}

}  // namespace muster::step
