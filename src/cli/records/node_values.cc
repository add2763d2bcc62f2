// Values of fields of nodes and partitions that several surfaces show.
#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/records/node_row.h"

namespace muster::cli {

namespace {

enum class Use { allocated, idle, other };

Use use_of(const Node& node) {
  if (node.health != NodeHealth::up) return Use::other;
  if (is_busy(node)) return Use::allocated;
  return node.drain || node.fail ? Use::other : Use::idle;
}

}  // namespace

std::string_view base_state(const std::string& long_state) {
  return std::string_view(long_state).substr(0, long_state.find('+'));
}

bool is_busy(const Node& node) { return !node.jobs.empty(); }

CpuCounts cpu_counts(const std::vector<const wire::NodeView*>& nodes) {
  CpuCounts sum;
  for (const wire::NodeView* view : nodes) {
    const Node& node = *view->node;
    std::uint64_t used = std::min<std::uint64_t>(node.used_cpus.size(), node.config.cpus);
    std::uint64_t rest = node.config.cpus - used;
    bool usable = node.health == NodeHealth::up && !node.drain && !node.fail;
    sum.allocated += used;
    (usable ? sum.idle : sum.other) += rest;
    sum.total += node.config.cpus;
  }
  return sum;
}

CpuCounts node_counts(const std::vector<const wire::NodeView*>& nodes) {
  CpuCounts sum;
  for (const wire::NodeView* view : nodes) {
    Use use = use_of(*view->node);
    ++(use == Use::allocated ? sum.allocated : use == Use::idle ? sum.idle : sum.other);
    ++sum.total;
  }
  return sum;
}

// In Slurm states are numbers, a base with flags above it, and sorting follows these numbers.
std::int64_t state_key(const Node& node) {
  std::string text = node_state_long(node);
  std::string_view base = base_state(text);
  std::int64_t key = base == "DOWN"        ? 1
                     : base == "IDLE"      ? 2
                     : base == "ALLOCATED" ? 3
                     : base == "MIXED"     ? 5
                     : base == "FUTURE"    ? 6
                                           : 0;
  if (node.drain) key += 0x200;
  if (!node.completing.empty()) key += 0x400;
  if (!node.responding) key += 0x800;
  if (node.fail) key += 0x2000;
  return key;
}

std::string partition_name(const NodeGroup& group, std::size_t width) {
  std::string_view name = group.partition->name;
  if (!group.partition->is_default) return std::string(name);
  // The star stays even if the name must be cut.
  if (width > 0 && name.size() >= width) name = name.substr(0, width - 1);
  return fmt::format("{}*", name);
}

std::string job_size_text(const Partition& partition) {
  std::uint32_t least = std::max(partition.min_nodes, 1u);
  if (!partition.max_nodes) return fmt::format("{}-infinite", least);
  if (*partition.max_nodes == least) return std::to_string(least);
  return fmt::format("{}-{}", least, *partition.max_nodes);
}

}  // namespace muster::cli
