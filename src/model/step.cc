#include "model/step.h"

#include <algorithm>
#include <string>

namespace muster {

void Usage::add(const Usage& other) {
  user_cpu_us += other.user_cpu_us;
  system_cpu_us += other.system_cpu_us;
  read_bytes += other.read_bytes;
  written_bytes += other.written_bytes;
  max_vmem_kib = std::max(max_vmem_kib, other.max_vmem_kib);
  if (other.max_rss_kib > max_rss_kib) {
    max_rss_kib = other.max_rss_kib;
    max_rss_node = other.max_rss_node;
    max_rss_task = other.max_rss_task;
  }
}

std::string step_name(StepId id) {
  if (id == kBatchStep) return "batch";
  if (id == kExternStep) return "extern";
  return std::to_string(id.value);
}

}  // namespace muster
