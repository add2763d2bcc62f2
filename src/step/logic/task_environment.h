// The variables that a node adds for each of its tasks to what the controller sent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/step_setup.h"

namespace muster {

// A list of "NAME=value" as execve takes it.
class Environment {
 public:
  explicit Environment(std::vector<std::string> entries) : entries_(std::move(entries)) {}
  // Adds the defaults that `entries` do not name.
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

// What all tasks of the step on this node share.
Environment node_environment(const StepSetup& setup);

// Adds what belongs to one task. SLURM_TASK_PID is left to the task itself.
void add_task_variables(Environment& environment, const StepSetup& setup, std::uint32_t local_id);

// --gpu-bind=verbose,...: what a task with these variables says of its GPUs; empty where nobody
// wants to know.
std::string gpu_bind_line(const wire::StepLaunch& launch, const Environment& environment,
                          std::uint32_t local_id);

}  // namespace muster
