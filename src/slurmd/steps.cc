// Starts slurmstepds and sends them commands. step_ends.cc handles their ends.
#include "slurmd/steps.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/codec/codec.h"
#include "io/cgroup/cgroup.h"
#include "io/log.h"
#include "io/process/processes.h"
#include "io/wall_clock.h"

namespace muster {
namespace {

constexpr std::size_t kTitleRoom = 48;  // for the title that ps shows for a forked step
constexpr Seconds kNurseryAfterTrouble{10};

std::string title(const wire::StepRef& ref) {
  return fmt::format("slurmstepd: [{}.{}]", ref.job.value, step_name(ref.step));
}

bool kills_all(const io::StepCommand& command) {
  const auto* signal = std::get_if<io::StepSignal>(&command);
  return signal && signal->number == SIGKILL && !signal->leader_only;
}

}  // namespace

SlurmdSteps::SlurmdSteps(io::Loop& loop, std::string spool_dir, std::string stepd_path,
                         Seconds kill_patience, std::function<void(wire::StepEnd)> on_ended)
    : loop_(loop),
      spool_dir_(std::move(spool_dir)),
      stepd_path_(std::move(stepd_path)),
      files_(spool_dir_ + "/steps"),
      kill_patience_(kill_patience),
      on_ended_(std::move(on_ended)) {}

std::string SlurmdSteps::file_of(const wire::StepRef& step) const {
  return fmt::format("{}/steps/{}", spool_dir_, io::step_file_name(step));
}

std::string SlurmdSteps::job_dir_of(const wire::StepRef& step) const {
  return fmt::format("{}/job{:05}", spool_dir_, step.job.value);
}

SlurmdSteps::Found SlurmdSteps::recover(Time now, const std::string& boot_id) {
  files_.remove_unused();
  Found found;
  for (const wire::StepRef& step : io::list_step_files(spool_dir_ + "/steps")) {
    const std::string file = file_of(step);
    const bool alive =
        io::is_step_alive(file);  // asked first: if the step ends just now, its end is found below
    if (auto end = io::read_step_end(file)) {
      found.ended.push_back(std::move(*end));
    } else if (alive) {
      const auto note = io::read_step_note(file);
      running_[step].uid = note ? note->uid : Uid{0};
      found.running.push_back(step);
    } else if (auto note = io::read_step_note(file)) {
      // A note from this boot: the slurmstepd was killed, and its tasks may be left.
      const bool same_boot = note->boot_id == boot_id;
      if (same_boot) kill_leftovers(*note);
      found.ended.push_back(end_of_crashed(
          step, now, same_boot ? "slurmstepd ended unexpectedly" : "the node was rebooted"));
    } else {
      io::remove_step_file(file);  // it was never started; the controller will order it again
    }
  }
  return found;
}

Result<void> SlurmdSteps::spawn(StepSetup setup) {
  const wire::StepRef ref = setup.launch.ref;
  setup.step_file = file_of(ref);
  setup.job_dir = job_dir_of(ref);

  const std::string name = io::step_file_name(ref);
  Result<int> lock = files_.create(name);
  if (!lock) return std::unexpected(lock.error());
  auto sockets = io::StepSocket::pair();
  Result<int> memory = io::memory_file(encode(setup));
  Result<void> started;
  if (!sockets)
    started = std::unexpected(sockets.error());
  else if (!memory)
    started = std::unexpected(memory.error());
  else
    started = start(setup, {*memory, sockets->second.fd(), *lock});
  if (memory) close(*memory);
  close(*lock);
  if (!started) {
    files_.forget(name);
    return started;
  }
  running_[ref].uid = setup.launch.uid;
  adopt(ref, std::move(sockets->first));
  return {};
}

Result<void> SlurmdSteps::start(const StepSetup& setup, const io::StepDescriptors& descriptors) {
  const std::string shown = title(setup.launch.ref);
  const bool needs_pmix = setup.launch.task.mpi == "pmix";
  if (nursery_ && !needs_pmix) {
    if (io::give_step(nursery_->fd(), shown, descriptors)) return {};
    nursery_.reset();
    nursery_due_ = io::steady_time();
  }
  return spawn_child({.path = stepd_path_ + (needs_pmix ? "-pmix" : ""),
                      .argv = {shown},
                      .descriptors = {descriptors.begin(), descriptors.end()}});
}

Result<void> SlurmdSteps::spawn_child(const io::SpawnRequest& request,
                                      std::function<void()> on_ended) {
  Result<pid_t> pid = io::spawn(request);
  if (!pid) return std::unexpected(pid.error());
  children_.emplace(*pid, std::move(on_ended));
  return {};
}

// If this fails, steps are started without a nursery.
void SlurmdSteps::prepare_nursery(Time now) {
  if (now < nursery_due()) return;
  nursery_due_ = now + kNurseryAfterTrouble;
  auto sockets = io::StepSocket::pair();
  if (!sockets) return io::log_error("no nursery of slurmstepds: {}", sockets.error().text());
  std::string shown = "slurmstepd: [nursery]";
  shown.resize(kTitleRoom, ' ');
  auto started = spawn_child({.path = stepd_path_,
                              .argv = {shown, io::kStepNursery},
                              .descriptors = {sockets->second.fd()}});
  if (!started) return io::log_error("no nursery of slurmstepds: {}", started.error().text());
  nursery_.emplace(std::move(sockets->first));
}

// A socket that cannot be watched is closed: then the step listens for a slurmd, which tries again.
void SlurmdSteps::adopt(const wire::StepRef& step, io::StepSocket socket) {
  loop_.adopt(socket.fd(), io::call_when_ready([this, step] { on_socket(step); }));
  if (!loop_.enable(socket.fd(), EPOLLIN)) {
    io::log_error("step {}: its socket cannot be watched: {}", io::step_file_name(step),
                  std::strerror(errno));
    return loop_.unwatch(socket.fd());
  }
  Running& running = running_.at(step);
  running.socket.emplace(std::move(socket));
  send_held_back(running);
}

void SlurmdSteps::send_held_back(Running& running) {
  while (!running.held_back.empty()) {
    auto sent = running.socket->send(running.held_back.front());
    if (!sent && sent.error().code == ErrorCode::timed_out) return;
    if (!sent) io::log_error("{}", sent.error().text());
    running.held_back.pop_front();
  }
}

void SlurmdSteps::on_socket(const wire::StepRef& step) {
  auto found = running_.find(step);
  if (found == running_.end() || !found->second.socket) return;
  Running& running = found->second;
  auto received = running.socket->receive();
  if (received) {
    if (*received && (*received)->fd >= 0) close((*received)->fd);
    if (*received && std::holds_alternative<io::StepHeard>((*received)->command))
      running.kill_unheard.reset();
    return;
  }
  loop_.unwatch(running.socket->fd());
  running.socket.reset();
  collect(step);
}

Result<void> SlurmdSteps::spawn_receiver(const io::FileReceiverSetup& setup, int connection,
                                         std::function<void()> on_ended) {
  Result<int> memory = io::memory_file(encode(setup));
  if (!memory) return std::unexpected(memory.error());
  Result<void> started = spawn_child({.path = stepd_path_,
                                      .argv = {"slurmstepd: [sbcast]", io::kReceiveFile},
                                      .descriptors = {*memory, connection}},
                                     std::move(on_ended));
  close(*memory);
  return started;
}

Result<void> SlurmdSteps::command(const wire::StepRef& step, const io::StepCommand& command,
                                  int fd) {
  constexpr std::size_t kMostHeldBack = 256;
  auto found = running_.find(step);
  if (found == running_.end()) return fail("no such step");
  Running& running = found->second;
  if (kills_all(command) && !ends_in_time(step, running)) return {};
  const bool waits = !running.socket || !running.held_back.empty();
  if (waits && fd >= 0) return fail("the step is not connected yet");
  if (!waits) {
    auto sent = running.socket->send(command, fd);
    if (sent || fd >= 0 || sent.error().code != ErrorCode::timed_out) return sent;
  }
  // SIGKILL is repeated for as long as necessary.
  const bool is_repeated = kills_all(command) && std::ranges::any_of(running.held_back, kills_all);
  if (is_repeated || running.held_back.size() >= kMostHeldBack) return {};
  running.held_back.push_back(command);
  return {};
}

std::optional<Uid> SlurmdSteps::user_of(const wire::StepRef& step) const {
  auto found = running_.find(step);
  if (found == running_.end()) return std::nullopt;
  return found->second.uid;
}

Confinement SlurmdSteps::groups_of(JobId job) const {
  for (auto step = running_.lower_bound({job, Attempt{0}, StepId{0}});
       step != running_.end() && step->first.job == job; ++step) {
    const StepId id = step->first.step;
    if (id != kExternStep && id != kBatchStep) continue;
    if (auto note = io::read_step_note(file_of(step->first))) return note->groups;
  }
  return {};
}

void SlurmdSteps::forget(const wire::StepRef& step) { files_.forget(io::step_file_name(step)); }

void SlurmdSteps::retry_connections() {
  std::vector<wire::StepRef> gone;
  for (auto& [step, running] : running_) {
    if (running.socket) {
      send_held_back(running);
      continue;
    }
    const std::string file = file_of(step);
    if (auto socket = io::StepSocket::connect(file))
      adopt(step, std::move(*socket));
    else if (!io::is_step_alive(file) || io::read_step_end(file))
      gone.push_back(step);
  }
  for (const wire::StepRef& step : gone) collect(step);
}

void SlurmdSteps::reap() {
  std::erase_if(children_, [](const auto& child) {
    if (waitpid(child.first, nullptr, WNOHANG) == 0) return false;
    if (child.second) child.second();
    return true;
  });
}

bool SlurmdSteps::wants_retry() const {
  return std::ranges::any_of(running_, [](const auto& entry) {
    return !entry.second.socket || !entry.second.held_back.empty();
  });
}

}  // namespace muster
