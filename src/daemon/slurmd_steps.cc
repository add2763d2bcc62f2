#include "daemon/slurmd_steps.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/codec.h"
#include "io/cgroup.h"
#include "io/log.h"
#include "io/processes.h"
#include "io/wall_clock.h"

namespace muster {
namespace {

constexpr std::size_t kTitleRoom = 48;  // for what ps shows of a step that the nursery has forked
constexpr Seconds kNurseryAfterTrouble{10};

std::string title(const wire::StepRef& ref) {
  return fmt::format("slurmstepd: [{}.{}]", ref.job.value, step_name(ref.step));
}

// The processes of a slurmstepd that was killed by force: those of its group and of its tasks'
// sessions.
void kill_processes(const io::StepNote& note) {
  constexpr int kTries = 5;  // a process may fork between the look and the kill
  if (note.groups.groups != Confinement::Groups::none) {
    constexpr int kWaits = 100;  // for them to die, each a millisecond
    std::unique_ptr<io::Cgroup> group = io::find_cgroup(note.groups);
    for (int i = 0; i < kWaits && !group->processes().empty(); ++i) {
      group->kill();
      usleep(1000);
    }
    group->remove();
  }
  std::set<pid_t> sessions;
  for (std::uint32_t session : note.sessions) sessions.insert(static_cast<pid_t>(session));
  if (sessions.empty()) return;
  for (int i = 0; i < kTries; ++i) {
    std::vector<pid_t> members = io::session_members(sessions);
    if (members.empty()) return;
    for (pid_t pid : members) kill(pid, SIGKILL);
  }
}

}  // namespace

SlurmdSteps::SlurmdSteps(SlurmdLoop& loop, std::string spool_dir, std::string stepd_path,
                         std::function<void(wire::StepEnd)> on_ended)
    : loop_(loop),
      spool_dir_(std::move(spool_dir)),
      stepd_path_(std::move(stepd_path)),
      files_(spool_dir_ + "/steps"),
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
    const bool alive = io::is_step_alive(file);  // first: one that ends now is found ended below
    if (auto end = io::read_step_end(file)) {
      found.ended.push_back(std::move(*end));
    } else if (alive) {
      running_[step];
      found.running.push_back(step);
    } else if (auto note = io::read_step_note(file)) {
      // A note of this boot means a killed slurmstepd, whose tasks may be left.
      const bool same_boot = note->boot_id == boot_id;
      if (same_boot) kill_processes(*note);
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
  running_[ref];
  adopt(ref, std::move(sockets->first));
  return {};
}

Result<void> SlurmdSteps::start(const StepSetup& setup, const io::StepDescriptors& descriptors) {
  const std::string shown = title(setup.launch.ref);
  const bool needs_pmix = setup.launch.mpi == "pmix";
  if (nursery_ && !needs_pmix) {
    if (io::give_step(nursery_->fd(), shown, descriptors)) return {};
    nursery_.reset();
    nursery_due_ = io::steady_time();
  }
  return spawn_child({.path = stepd_path_ + (needs_pmix ? "-pmix" : ""),
                      .argv = {shown},
                      .descriptors = {descriptors.begin(), descriptors.end()}});
}

Result<void> SlurmdSteps::spawn_child(const io::SpawnRequest& request) {
  Result<pid_t> pid = io::spawn(request);
  if (!pid) return std::unexpected(pid.error());
  children_.insert(*pid);
  return {};
}

// A launch that finds no nursery starts its own: so trouble here is no trouble of any step.
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

void SlurmdSteps::adopt(const wire::StepRef& step, io::StepSocket socket) {
  loop_.watch(socket.fd(), [this, step] { on_socket(step); });
  Running& running = running_.at(step);
  running.socket.emplace(std::move(socket));
  for (const io::StepCommand& command : std::exchange(running.held_back, {}))
    if (Result<void> sent = running.socket->send(command); !sent)
      io::log_error("step {}: {}", io::step_file_name(step), sent.error().text());
}

void SlurmdSteps::on_socket(const wire::StepRef& step) {
  auto found = running_.find(step);
  if (found == running_.end() || !found->second.socket) return;
  // slurmstepd says nothing on this socket: it can only have closed it.
  auto received = found->second.socket->receive();
  if (received) return;
  loop_.unwatch(found->second.socket->fd());
  found->second.socket.reset();
  collect(step);
}

void SlurmdSteps::collect(const wire::StepRef& step) {
  const std::string file = file_of(step);
  running_.erase(step);
  if (auto end = io::read_step_end(file)) return on_ended_(std::move(*end));
  io::log_error("the slurmstepd of step {} ended unexpectedly", io::step_file_name(step));
  if (auto note = io::read_step_note(file)) kill_processes(*note);
  wire::StepEnd end = end_of_crashed(step, io::wall_clock(), "slurmstepd ended unexpectedly");
  (void)io::write_step_end(file,
                           end);  // where that fails, a restarted slurmd finds the same out again
  on_ended_(std::move(end));
}

wire::StepEnd SlurmdSteps::end_of_crashed(const wire::StepRef& step, Time now,
                                          const std::string& why) const {
  if (step.step == kBatchStep) {  // its slurmstepd could not tidy up
    unlink((job_dir_of(step) + "/slurm_script").c_str());
    rmdir(job_dir_of(step).c_str());
  }
  wire::StepEnd end;
  end.ref = step;
  end.exit_status = SIGKILL;
  end.failure = why;
  end.ended = now;
  auto note = io::read_step_note(file_of(step));
  end.started = note ? note->started : now;
  return end;
}

Result<void> SlurmdSteps::spawn_receiver(const io::FileReceiverSetup& setup, int connection) {
  Result<int> memory = io::memory_file(encode(setup));
  if (!memory) return std::unexpected(memory.error());
  Result<void> started = spawn_child({.path = stepd_path_,
                                      .argv = {"slurmstepd: [sbcast]", io::kReceiveFile},
                                      .descriptors = {*memory, connection}});
  close(*memory);
  return started;
}

Result<void> SlurmdSteps::command(const wire::StepRef& step, const io::StepCommand& command,
                                  int fd) {
  auto found = running_.find(step);
  if (found == running_.end()) return fail("no such step");
  if (!found->second.socket) {
    if (fd >= 0) return fail("the step is not connected yet");
    found->second.held_back.push_back(command);
    return {};
  }
  return found->second.socket->send(command, fd);
}

void SlurmdSteps::forget(const wire::StepRef& step) { files_.forget(io::step_file_name(step)); }

void SlurmdSteps::retry_connections() {
  std::vector<wire::StepRef> gone;
  for (auto& [step, running] : running_) {
    if (running.socket) continue;
    const std::string file = file_of(step);
    if (auto socket = io::StepSocket::connect(file))
      adopt(step, std::move(*socket));
    else if (!io::is_step_alive(file) || io::read_step_end(file))
      gone.push_back(step);
  }
  for (const wire::StepRef& step : gone) collect(step);
}

void SlurmdSteps::reap() {
  std::erase_if(children_, [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) != 0; });
}

bool SlurmdSteps::wants_retry() const {
  return std::ranges::any_of(running_, [](const auto& entry) { return !entry.second.socket; });
}

}  // namespace muster
