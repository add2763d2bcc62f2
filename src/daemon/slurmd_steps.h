// The slurmstepds of this node: started, found again after a restart, commanded, and their ends
// collected.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "daemon/slurmd_loop.h"
#include "io/file_receiver.h"
#include "io/spawn.h"
#include "io/step_file.h"
#include "io/step_nursery.h"
#include "io/step_socket.h"
#include "node/step_setup.h"
#include "wire/node_messages.h"

namespace muster {

class SlurmdSteps {
 public:
  struct Found {
    std::vector<wire::StepRef> running;
    std::vector<wire::StepEnd> ended;
  };

  SlurmdSteps(SlurmdLoop& loop, std::string spool_dir, std::string stepd_path,
              std::function<void(wire::StepEnd)> on_ended);

  // Reads the step files of earlier starts. What runs is connected by retry_connections().
  Found recover(Time now, const std::string& boot_id);

  Result<void> spawn(StepSetup setup);
  // A process that takes a file of sbcast from this connection, which stays the caller's.
  Result<void> spawn_receiver(const io::FileReceiverSetup& setup, int connection);
  Result<void> command(const wire::StepRef& step, const io::StepCommand& command, int fd = -1);
  void forget(const wire::StepRef& step);
  std::optional<io::StepNote> note_of(const wire::StepRef& step) const {
    return io::read_step_note(file_of(step));
  }
  // Steps that run but do not listen yet are tried again.
  void retry_connections();
  bool wants_retry() const;
  void reap();  // slurmstepds that have exited

  // The process that forks them (io/step_nursery.h) is started when nothing else is due.
  Time nursery_due() const { return nursery_ ? Time::max() : nursery_due_; }
  void prepare_nursery(Time now);

 private:
  struct Running {
    std::optional<io::StepSocket> socket;    // none = not connected yet
    std::vector<io::StepCommand> held_back;  // until it is
  };

  std::string file_of(const wire::StepRef& step) const;
  std::string job_dir_of(const wire::StepRef& step) const;
  void adopt(const wire::StepRef& step, io::StepSocket socket);
  void on_socket(const wire::StepRef& step);
  void collect(const wire::StepRef& step);
  Result<void> start(const StepSetup& setup, const io::StepDescriptors& descriptors);
  Result<void> spawn_child(const io::SpawnRequest& request);
  wire::StepEnd end_of_crashed(const wire::StepRef& step, Time now, const std::string& why) const;

  SlurmdLoop& loop_;
  std::string spool_dir_, stepd_path_;
  io::StepFiles files_;
  std::function<void(wire::StepEnd)> on_ended_;
  std::map<wire::StepRef, Running> running_;
  std::set<pid_t> children_;  // slurmstepds that were spawned here
  std::optional<io::StepSocket> nursery_;
  Time nursery_due_;
};

}  // namespace muster
