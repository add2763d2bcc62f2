// A group of similar nodes of a partition, a single node, or a partition, as its fields read it:
// for sinfo, `scontrol show node` and `show partition`, and --json.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/records/record_context.h"
#include "cli/tables/fields.h"
#include "wire/client_messages.h"

namespace muster::cli {

struct NodeContext : RecordContext {
  std::map<NodeId, std::int64_t> name_rank;  // sorts n2 before n10
};

// How values of single nodes become the value of a group.
enum class Grouping : std::uint8_t {
  same,   // only nodes with equal values share a line
  range,  // "8+", "100-200"; with --exact like `same`
  sum,    // the sum of counts, or all elements of lists
};

struct NodeGroup {
  struct Mark {
    Grouping grouping = Grouping::same;
  };

  const Partition* partition = nullptr;
  std::int64_t partition_rank = 0;  // by the order in slurm.conf
  const RecordContext* context = nullptr;
  std::vector<const wire::NodeView*> nodes = {};  // empty: a partition without matching nodes
  const std::map<NodeId, std::int64_t>* name_rank = nullptr;
  const wire::PartitionView* partition_view = nullptr;  // for show partition

  const Node* first() const { return nodes.empty() ? nullptr : &*nodes.front()->node; }
  Form form() const {
    Form form = context->listed();
    form.no_time = "Unknown";
    return form;
  }
};

// One row per field: those of nodes in the order of --json.
std::span<const Field<NodeGroup>> node_fields();
std::span<const Field<NodeGroup>> partition_fields();
// All columns of sinfo: fields of nodes and of partitions.
std::span<const Field<NodeGroup>> node_columns();
const Field<NodeGroup>& partition_order_field();  // #P

// --- shared by several fields ---

struct CpuCounts {
  std::uint64_t allocated = 0, idle = 0, other = 0, total = 0;
};
CpuCounts cpu_counts(const std::vector<const wire::NodeView*>& nodes);
CpuCounts node_counts(const std::vector<const wire::NodeView*>& nodes);  // nodes with equal states

std::string_view base_state(const std::string& long_state);  // "IDLE" of "IDLE+DRAIN"
bool is_busy(const Node& node);                              // whether jobs run or clean up on it
std::int64_t state_key(const Node& node);
std::string partition_name(const NodeGroup& group, std::size_t width);  // "batch*"
std::string job_size_text(const Partition& partition);                  // "1-infinite"

}  // namespace muster::cli
