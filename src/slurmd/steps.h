// The slurmstepds of this node: starts them, finds them again after a restart, sends commands, and
// collects their ends.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "io/loop/loop.h"
#include "io/process/spawn.h"
#include "io/stepd/file_receiver.h"
#include "io/stepd/step_file.h"
#include "io/stepd/step_nursery.h"
#include "io/stepd/step_socket.h"
#include "node/host.h"
#include "wire/node_messages.h"
#include "wire/step_setup.h"

namespace muster {

class SlurmdSteps {
 public:
  struct Found {
    std::vector<wire::StepRef> running;
    std::vector<wire::StepEnd> ended;
  };

  // kill_patience: if a slurmstepd does not answer SIGKILL for its processes within this time, it
  // is killed together with them.
  SlurmdSteps(io::Loop& loop, std::string spool_dir, std::string stepd_path, Seconds kill_patience,
              std::function<void(wire::StepEnd)> on_ended);

  // Reads the step files of earlier starts. retry_connections() connects to the running steps.
  Found recover(Time now, const std::string& boot_id);

  Result<void> spawn(StepSetup setup);
  // Starts a process that receives a file of sbcast from this connection. The caller keeps the
  // connection.
  Result<void> spawn_receiver(const io::FileReceiverSetup& setup, int connection,
                              std::function<void()> on_ended);
  // The control groups of a step that lasts as long as the job; none if there is no such step.
  Confinement groups_of(JobId job) const;
  // If the step does not take a command now, the command is kept for later, unless a descriptor
  // belongs to it.
  Result<void> command(const wire::StepRef& step, const io::StepCommand& command, int fd = -1);
  std::optional<Uid> user_of(const wire::StepRef& step) const;  // none = the step does not run here
  std::optional<Uid> user_of(AttemptRef attempt) const;         // likewise, any step of this run
  bool has_steps_of(Uid user) const;
  // The step of this user that the process belongs to.
  std::optional<wire::StepRef> step_of(pid_t process, Uid user) const;
  void forget(const wire::StepRef& step);
  std::optional<io::StepNote> note_of(const wire::StepRef& step) const {
    return io::read_step_note(file_of(step));
  }
  // Tries again to reach steps that did not listen or did not take their commands.
  void retry_connections();
  bool wants_retry() const;
  void reap();  // slurmstepds that have exited

  // When to start the process that forks slurmstepds (io/stepd/step_nursery.h): when nothing else
  // is due.
  Time nursery_due() const { return nursery_ ? Time::max() : nursery_due_; }
  void prepare_nursery(Time now);

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    Uid uid;
    std::optional<io::StepSocket> socket = {};   // none = not connected yet
    std::deque<io::StepCommand> held_back = {};  // for the time when it is connected and takes them
    // Since when a SIGKILL has not been answered.
    std::optional<Clock::time_point> kill_unheard = {};
    bool was_forced = false;
  };

  std::string file_of(const wire::StepRef& step) const;
  std::string job_dir_of(const wire::StepRef& step) const;
  void adopt(const wire::StepRef& step, io::StepSocket socket);
  void send_held_back(Running& running);
  void on_socket(const wire::StepRef& step);
  bool ends_in_time(const wire::StepRef& step, Running& running);
  static void kill_leftovers(const io::StepNote& note);
  void end_by_force(const wire::StepRef& step);
  void give_up(const wire::StepRef& step);
  void collect(const wire::StepRef& step);
  Result<void> start(const StepSetup& setup, const io::StepDescriptors& descriptors);
  Result<void> spawn_child(const io::SpawnRequest& request, std::function<void()> on_ended = {});
  wire::StepEnd end_of_crashed(const wire::StepRef& step, Time now, const std::string& why) const;

  io::Loop& loop_;
  std::string spool_dir_, stepd_path_;
  io::StepFiles files_;
  Seconds kill_patience_;
  std::function<void(wire::StepEnd)> on_ended_;
  std::map<wire::StepRef, Running> running_;
  std::map<pid_t, std::function<void()>> children_;  // processes that were spawned here
  std::optional<io::StepSocket> nursery_;
  Time nursery_due_;
};

}  // namespace muster
