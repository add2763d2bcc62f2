// RequestLimits: how much one request of a user may contain: a single table for jobs, steps,
// updates and lists of jobs. Each limit is a word of SlurmctldParameters, or has Slurm's own key,
// and is described in slurm.conf(5). A refusal names the limit (controller/submit/request_check.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace muster {

struct RequestLimits {
  std::uint32_t name = 1024;            // bytes of the name of a job or step
  std::uint32_t text = 64 << 10;        // bytes of a comment, a path or any other text
  std::uint32_t constraint = 4 << 10;   // bytes of -C or --prefer
  std::uint32_t node_list = 256 << 10;  // bytes of -w or -x
  std::uint32_t arguments =
      2 << 20;  // bytes of the arguments of a script, or of all programs of a step
  std::uint32_t environment = 8 << 20;  // bytes
  std::uint32_t launch = 16 << 20;      // bytes of script, environment and everything else together
  std::uint32_t dependencies = 4000;    // conditions
  std::uint32_t components = 256;       // of a heterogeneous job, or commands of a step
  std::uint32_t waiting_steps = 2048;   // of one job
  std::uint32_t waiting_bytes = 64 << 20;  // of these steps together
  std::uint32_t list_items = 10'000;       // jobs, names or keys in one request
  std::uint32_t tasks_per_node = 512;      // MaxTasksPerNode
  std::uint32_t script = 4 << 20;          // SchedulerParameters=max_script_size: bytes
  bool operator==(const RequestLimits&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, text);
    v(3, constraint);
    v(4, node_list);
    v(5, arguments);
    v(6, environment);
    v(7, launch);
    v(8, dependencies);
    v(9, components);
    v(10, waiting_steps);
    v(11, list_items);
    v(12, tasks_per_node);
    v(13, script);
    v(14, waiting_bytes);
  }
};

struct LimitName {
  std::string_view name;
  std::uint32_t RequestLimits::* limit;
  std::uint32_t most;  // the largest value that may be configured
};

// The words of SlurmctldParameters.
inline constexpr LimitName kLimitWords[] = {
    {"max_name_size", &RequestLimits::name, 64 << 10},
    {"max_text_size", &RequestLimits::text, 1 << 20},
    {"max_constraint_size", &RequestLimits::constraint, 64 << 10},
    {"max_node_list_size", &RequestLimits::node_list, 4 << 20},
    {"max_arguments_size", &RequestLimits::arguments, 48 << 20},
    {"max_environment_size", &RequestLimits::environment, 48 << 20},
    {"max_launch_size", &RequestLimits::launch, 48 << 20},
    {"max_dependencies", &RequestLimits::dependencies, 100'000},
    {"max_components", &RequestLimits::components, 1000},
    {"max_waiting_steps", &RequestLimits::waiting_steps, 100'000},
    {"max_waiting_steps_size", &RequestLimits::waiting_bytes, 1 << 30},
    {"max_list_items", &RequestLimits::list_items, 1'000'000},
};
// Limits that Slurm has under another key.
inline constexpr LimitName kOtherLimits[] = {
    {"MaxTasksPerNode", &RequestLimits::tasks_per_node, 65533},
    {"max_script_size", &RequestLimits::script, 512 << 20},
};

constexpr std::string_view name_of(std::uint32_t RequestLimits::* limit) {
  for (const LimitName& each : kLimitWords)
    if (each.limit == limit) return each.name;
  for (const LimitName& each : kOtherLimits)
    if (each.limit == limit) return each.name;
  return "";
}

}  // namespace muster
