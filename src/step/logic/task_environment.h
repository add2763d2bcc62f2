// The variables that a node adds, for each of its tasks, to those that the controller sent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/step_setup.h"

namespace muster {

// A list of "NAME=value", as execve takes it.
class Environment {
 public:
  explicit Environment(std::vector<std::string> entries) : entries_(std::move(entries)) {}
  // Adds those defaults whose names are not in `entries`.
  Environment(std::vector<std::string> entries, std::vector<std::string> defaults);

  const std::string* find(std::string_view name) const;  // the whole entry
  void set(std::string_view name, std::string_view value);
  void set_if_missing(std::string_view name, std::string_view value);
  void erase(std::string_view name);

  std::vector<std::string>& entries() { return entries_; }
  const std::vector<std::string>& entries() const { return entries_; }

 private:
  std::vector<std::string> entries_;
};

// Variables shared by all tasks of the step on this node.
Environment node_environment(const StepSetup& setup);

// Adds variables of one task. The task itself sets SLURM_TASK_PID.
void add_task_variables(Environment& environment, const StepSetup& setup, std::uint32_t local_id);

// --gpu-bind=verbose,...: the line about the GPUs of a task with these variables; empty without
// verbose.
std::string gpu_bind_line(const wire::StepLaunch& launch, const Environment& environment,
                          std::uint32_t local_id);

}  // namespace muster
