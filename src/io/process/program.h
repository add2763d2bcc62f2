// ProgramRunner: runs programs of the site (Prolog, Epilog and so on) on threads of their own, with
// a time limit, and with only the environment they are given.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "io/process/grouped_program.h"
#include "model/node/confinement.h"

namespace muster::io {

// Control groups and the user of a program, and the slurmstepd that enters them for it.
struct ProgramGroups {
  Confinement groups;
  std::string stepd_path;
  std::optional<ProgramUser> user = {};  // unset: the daemon's own
};

struct ProgramRun {
  std::string path;  // may be a pattern ("/etc/slurm/prolog.d/*"): all matches run, in order
  std::vector<std::string> environment;
  std::vector<std::string> arguments = {};
  Seconds timeout{0};  // for each program; 0 = none
  std::optional<ProgramGroups> groups = {};
};

struct ProgramEnd {
  bool succeeded = true;  // all programs ended with 0
  std::string failure;    // "/etc/slurm/prolog: exit status 1:0"
  std::string output;     // the beginning of the failed program's output
};

// Requires that the process does not ignore SIGCHLD, and waits for its other children by their ids.
class ProgramRunner {
 public:
  explicit ProgramRunner(std::size_t most_at_once = 0);  // 0 = any number
  ~ProgramRunner() { forget(); }
  void forget();  // running programs go on, but on_end is no longer called
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  // Calls on_end on another thread. If too many programs run already, this one starts later, in
  // turn.
  void run(ProgramRun run, std::function<void(ProgramEnd)> on_end);

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);
  std::shared_ptr<State> state_;  // shared with the threads, which may outlive the runner
};

ProgramEnd run_program(const ProgramRun& run);  // blocks

// The path of this program where our own one is installed.
std::string program_beside_us(std::string_view name);

}  // namespace muster::io
