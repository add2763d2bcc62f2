// Adds up the usage of steps, and names steps.
#include "model/job/step.h"

#include <string>

namespace muster {

void Measure::note(std::uint64_t value, NodeId node, std::uint32_t task) {
  add({.tasks = 1,
       .total = value,
       .max = value,
       .min = value,
       .max_node = node,
       .min_node = node,
       .max_task = task,
       .min_task = task});
}

void Measure::add(const Measure& other) {
  if (other.tasks == 0) return;
  if (tasks == 0) {
    *this = other;
    return;
  }
  tasks += other.tasks;
  total += other.total;
  // Among equal values the lowest task is named, whichever node reported first.
  if (other.max > max || (other.max == max && other.max_task < max_task)) {
    max = other.max;
    max_node = other.max_node;
    max_task = other.max_task;
  }
  if (other.min < min || (other.min == min && other.min_task < min_task)) {
    min = other.min;
    min_node = other.min_node;
    min_task = other.min_task;
  }
}

void Usage::add(const Usage& other) {
  user_cpu_us += other.user_cpu_us;
  system_cpu_us += other.system_cpu_us;
  for (Measure Usage::* measure : kMeasures) (this->*measure).add(other.*measure);
}

std::string step_name(StepId id) {
  if (id == kBatchStep) return "batch";
  if (id == kExternStep) return "extern";
  if (id == kInteractiveStep) return "interactive";
  return std::to_string(id.value);
}

}  // namespace muster
