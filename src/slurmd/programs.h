// Site programs on this node (Prolog, Epilog, HealthCheckProgram, RebootProgram and others): run as
// root, in a minimal environment, with a thread each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/loop/loop.h"
#include "io/process/program.h"
#include "node/agent.h"
#include "node/host.h"
#include "slurmd/config.h"
#include "wire/node_messages.h"

namespace muster {

// Attempts whose Prolog has run, as noted in this directory.
std::vector<AttemptRef> list_prepared(const std::string& dir);
void note_prepared_in(const std::string& dir, AttemptRef attempt, bool prepared);
NodePrograms node_programs(const SlurmdConfig& config);

// Its methods are called on the loop, where it also reports ends of programs.
class SlurmdPrograms {
 public:
  using OnEnd = std::function<void(NodeProgram, AttemptRef, bool succeeded)>;
  // The configuration may change between calls.
  SlurmdPrograms(io::Loop& loop, const SlurmdConfig& config, OnEnd on_end)
      : loop_(loop), config_(config), on_end_(std::move(on_end)) {}

  void run(NodeProgram program, AttemptRef attempt, const std::vector<std::string>& environment,
           std::optional<io::ProgramGroups> groups);
  void skip(NodeProgram program, AttemptRef attempt);  // counts as successful
  void check_health(std::function<void()> then);       // calls `then` in any case, on the loop
  void tell_of_unkillable(const wire::StepRef& step);  // runs UnkillableStepProgram
  void reboot();
  void forget();  // nothing more is reported

 private:
  io::ProgramRun plain_run(const std::string& path) const;
  void when_ended(NodeProgram program, AttemptRef attempt, const io::ProgramEnd& end);

  io::Loop& loop_;
  const SlurmdConfig& config_;
  OnEnd on_end_;
  bool checks_health_ = false;
  // Last, because their callbacks use the members above.
  io::ProgramRunner runner_, in_turn_{1};
};

}  // namespace muster
