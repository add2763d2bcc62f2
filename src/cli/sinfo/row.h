// A line of sinfo: nodes of a partition that look the same in the columns asked for.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lib/name_lookup.h"
#include "cli/tables/columns.h"
#include "cli/tables/table_format.h"
#include "wire/client_messages.h"

namespace muster::cli {

struct NodeContext {
  Time now;
  TimeStyle times;
  NameLookup names;
  std::map<NodeId, std::int64_t> name_rank;  // n2 before n10
  bool no_convert = false;
};

struct NodeGroup {
  const Partition* partition = nullptr;
  std::int64_t partition_rank = 0;  // as configured
  NodeContext* context = nullptr;
  std::vector<const wire::NodeView*> nodes;  // none: a partition without a node that matches
};

std::span<const Column<NodeGroup>> node_columns();
const Column<NodeGroup>& partition_order_column();  // #P

// How a column's value of one node becomes that of a group.
enum class Grouping : std::uint8_t {
  same,   // only nodes that agree share a line
  range,  // "8+", "100-200"; with --exact like `same`
  sum,    // counts and lists
};
Grouping grouping(const Column<NodeGroup>& column);

// --- what the columns print ---

struct CpuCounts {
  std::uint64_t allocated = 0, idle = 0, other = 0, total = 0;
};
CpuCounts cpu_counts(const std::vector<const wire::NodeView*>& nodes);
CpuCounts node_counts(const std::vector<const wire::NodeView*>& nodes);  // nodes in the same states

std::string_view base_state(const std::string& long_state);  // "IDLE" of "IDLE+DRAIN"
bool is_busy(const Node& node);                              // jobs run or clean up on it
std::int64_t state_key(const Node& node);
std::string partition_name(const NodeGroup& group, std::size_t width);  // "batch*"
std::string job_size_text(const Partition& partition);                  // "1-infinite"
std::string gres_used_text(const Node& node);                           // "gpu:v100:2(IDX:0-1)"

}  // namespace muster::cli
