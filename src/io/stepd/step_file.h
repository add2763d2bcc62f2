// The file that slurmd keeps for each step, SlurmdSpoolDir/steps/JOB.ATTEMPT.STEP: everything that
// a restarted slurmd needs to know. The step's slurmstepd holds a lock on it as long as it lives
// (the lock ends with the process, however it ends), and appends records: notes about its tasks,
// and the step's end. If its slurmd goes away, the step listens on a socket with the same name and
// ".socket".
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
  Confinement groups;  // without limits; for finding its processes
  Uid uid;
  // When the leaders of the sessions were started, as in /proc/PID/stat: their numbers may have
  // been reused.
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

// Writes the whole record or nothing. It is not synced: after a power cut the new boot id tells the
// controller that the node has lost its steps.
Result<void> write_step_note(int step_file, const StepNote& note);
Result<void> write_step_end(int step_file, const wire::StepEnd& end);
Result<void> write_step_end(const std::string& file, const wire::StepEnd& end);
std::optional<StepNote> read_step_note(const std::string& file);  // the last one
std::optional<wire::StepEnd> read_step_end(const std::string& file);

// Processes left in the sessions of the step's tasks. Sessions whose number was reused do not
// count.
std::vector<pid_t> session_members(const StepNote& note);

// Creates and forgets the files of a directory. Files of forgotten steps are kept and reused: on
// file systems such as ext4, creating files is slow after many have been removed.
class StepFiles {
 public:
  explicit StepFiles(std::string dir) : dir_(std::move(dir)) {}

  // Creates the file of this name and locks it; returns the descriptor for the slurmstepd. A full
  // disk is ErrorCode::state_storage_full.
  Result<int> create(const std::string& name);
  void forget(const std::string& name);
  void remove_unused();  // those of an earlier start

 private:
  std::optional<int> reuse(const std::string& path);
  std::string path_of(std::string_view name) const { return dir_ + "/" + std::string(name); }

  std::string dir_;
  std::vector<std::string> unused_;
  std::size_t next_ = 0;  // for names of unused files
};

}  // namespace muster::io
