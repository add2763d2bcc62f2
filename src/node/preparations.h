// Preparations: what runs before an attempt, once for each: its Prolog, and the InitScript of its
// private directories.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "node/host.h"
#include "wire/node_messages.h"

namespace muster {

// The site programs that are configured.
struct NodePrograms {
  bool prolog = false, epilog = false, init_script = false;
  bool in_job = false;  // PrologFlags=RunInJob: they run while the extern step does
};

class Preparations {
 public:
  enum class Progress : std::uint8_t { runs, succeeded, failed };  // of a program

  explicit Preparations(NodeHost& host) : host_(host) {}

  // An earlier slurmd ran its Prolog.
  void found(AttemptRef attempt);
  // Runs the Prolog of this attempt, unless there is none or it has run.
  Progress prepare(AttemptRef attempt, const std::vector<std::string>& environment,
                   const NodePrograms& programs);
  void run_prolog_in_job(AttemptRef attempt);  // once there is an extern step to run it in
  // Runs the InitScript, unless there is none or it has run.
  Progress initialize(const wire::StepLaunch& launch, const NodePrograms& programs);

  // The end of the Prolog will be reported.
  void await(AttemptRef attempt) { awaited_.insert(attempt); }
  // True if somebody awaited it.
  bool prolog_ended(AttemptRef attempt, bool succeeded);
  void init_script_ended(AttemptRef attempt, bool succeeded);

  bool any_runs(AttemptRef attempt) const;
  // The attempt ends: a Prolog that waits for the extern step will not begin.
  void cancel_waiting(AttemptRef attempt);
  void forget(AttemptRef attempt);

 private:
  NodeHost& host_;
  std::map<AttemptRef, Progress> prologs_, init_scripts_;
  // Prologs that wait for the extern step, with their environments
  std::map<AttemptRef, std::vector<std::string>> before_extern_;
  std::set<AttemptRef> awaited_;  // attempts whose successful Prolog is to be reported
};

}  // namespace muster
