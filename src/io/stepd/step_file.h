// The file that slurmd keeps per step, SlurmdSpoolDir/steps/JOB.ATTEMPT.STEP: all that a restarted
// slurmd needs to know. The step's slurmstepd has it locked for as long as it lives (a lock dies
// with its holder, whatever happened) and adds records to it: notes of its tasks, and the step's
// end. Beside it, under the same name with ".socket", the step listens after its slurmd went away.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/node/confinement.h"
#include "wire/node_messages.h"

namespace muster::io {

struct StepNote {
  std::uint32_t pid = 0;
  std::string boot_id;
  std::set<std::uint32_t> sessions;  // of its tasks
  Time started;
  Confinement groups;  // to find its processes; without limits
  Uid uid;
  // When the leaders of the sessions were started, as in /proc/PID/stat: a number may be another
  // process's by now.
  std::map<std::uint32_t, std::uint64_t> leaders;
  template <class V>
  void fields(V& v) {
    v(1, pid);
    v(2, boot_id);
    v(3, sessions);
    v(4, started);
    v(5, groups);
    v(6, uid);
    v(7, leaders);
  }
};

std::string step_file_name(const wire::StepRef& ref);  // "12.1.batch", "12.1.0"
std::optional<wire::StepRef> parse_step_file_name(std::string_view name);
std::vector<wire::StepRef> list_step_files(const std::string& steps_dir);

bool is_step_alive(const std::string& file);
void remove_step_file(const std::string& file);

// A record appears whole or not at all. It is not forced to the disk: after a power cut the boot id
// tells the controller that the node lost what it ran.
Result<void> write_step_note(int step_file, const StepNote& note);
Result<void> write_step_end(int step_file, const wire::StepEnd& end);
Result<void> write_step_end(const std::string& file, const wire::StepEnd& end);
std::optional<StepNote> read_step_note(const std::string& file);  // the last one
std::optional<wire::StepEnd> read_step_end(const std::string& file);

// What is left of the sessions of the step's tasks. Numbers that have become those of others do not
// count.
std::vector<pid_t> session_members(const StepNote& note);

// Makes and forgets the files of a directory. Files of forgotten steps are kept and used again: a
// file system like ext4 takes the longer to make one, the more of them have just been removed.
class StepFiles {
 public:
  explicit StepFiles(std::string dir) : dir_(std::move(dir)) {}

  // Makes the file of this name and takes its lock: the descriptor to inherit. A full disk is
  // ErrorCode::state_storage_full.
  Result<int> create(const std::string& name);
  void forget(const std::string& name);
  void remove_unused();  // of an earlier start

 private:
  std::optional<int> reuse(const std::string& path);
  std::string path_of(std::string_view name) const { return dir_ + "/" + std::string(name); }

  std::string dir_;
  std::vector<std::string> unused_;
  std::size_t next_ = 0;  // of the names of unused ones
};

}  // namespace muster::io
