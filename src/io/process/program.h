// Programs of the site (Prolog, Epilog and so on): run to their end on a thread of their own, with
// a time limit, and with nothing in their environment but what they are given.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/node/confinement.h"

namespace muster::io {

// Control groups for a program to run in, and the slurmstepd that enters them for it.
struct ProgramGroups {
  Confinement groups;
  std::string stepd_path;
};

struct ProgramRun {
  std::string path;  // may be a pattern ("/etc/slurm/prolog.d/*"): all are run, in order
  std::vector<std::string> environment;
  std::vector<std::string> arguments = {};
  Seconds timeout{0};  // of each; 0 = none
  std::optional<ProgramGroups> groups = {};
};

struct ProgramEnd {
  bool succeeded = true;  // every one ended with 0
  std::string failure;    // "/etc/slurm/prolog: exit status 1:0"
  std::string output;     // the beginning of what the failed one wrote
};

// REQUIRES: the process does not ignore SIGCHLD and waits for its other children by their ids.
class ProgramRunner {
 public:
  explicit ProgramRunner(std::size_t most_at_once = 0);  // 0 = any number
  ~ProgramRunner() { forget(); }
  void forget();  // programs still running go on; nobody hears of their end
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  // on_end is called on another thread. Where too many run already, it starts later, in turn.
  void run(ProgramRun run, std::function<void(ProgramEnd)> on_end);

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);
  std::shared_ptr<State> state_;  // shared with the threads, which may outlive the runner
};

ProgramEnd run_program(const ProgramRun& run);  // blocks

}  // namespace muster::io
