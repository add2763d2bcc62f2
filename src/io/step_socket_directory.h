// The directory that slurmd keeps per step, SlurmdSpoolDir/steps/JOB.ATTEMPT.STEP:
//   stepd   locked by the slurmstepd for as long as it lives; holds its pid and its tasks' sessions
//   end     the step's end, once there is one
//   socket  where the step listens after its slurmd went away
// It holds all that a restarted slurmd needs to know. A lock dies with its holder, whatever
// happened.
#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/confinement.h"
#include "wire/node_messages.h"

namespace muster::io {

struct StepNote {
  std::uint32_t pid = 0;
  std::string boot_id;
  std::set<std::uint32_t> sessions;  // of its tasks
  Time started;
  Confinement groups;  // where its processes are found; without limits
  template <class V>
  void fields(V& v) {
    v(1, pid);
    v(2, boot_id);
    v(3, sessions);
    v(4, started);
    v(5, groups);
  }
};

std::string step_dir_name(const wire::StepRef& ref);  // "12.1.batch", "12.1.0"
std::optional<wire::StepRef> parse_step_dir_name(std::string_view name);
std::vector<wire::StepRef> list_step_dirs(const std::string& steps_dir);

// Makes the directory and takes its lock: the descriptor to inherit.
Result<int> create_step_dir(const std::string& dir);
bool is_step_alive(const std::string& dir);
void remove_step_dir(const std::string& dir);

Result<void> write_step_note(int lock_fd, const StepNote& note);
std::optional<StepNote> read_step_note(const std::string& dir);

// The end appears whole or not at all. It is not forced to the disk: after a power cut the boot id
// tells the controller that the node lost what it ran.
Result<void> write_step_end(const std::string& dir, const wire::StepEnd& end);
std::optional<wire::StepEnd> read_step_end(const std::string& dir);

}  // namespace muster::io
