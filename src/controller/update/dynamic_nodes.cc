// Creates and deletes dynamic nodes.
#include "controller/update/dynamic_nodes.h"

#include "base/text/strings.h"
#include "config/lines/dynamic_node.h"
#include "controller/nodes/dynamic_node.h"
#include "controller/update/settings_list.h"

namespace muster::controller {

wire::Answer create_nodes(Ledger& ledger, const wire::UpdateRequest& request) {
  std::string line;
  for (const auto& [key, value] : request.settings) line += key + "=\"" + value + "\" ";
  auto nodes = config::parse_node_line(line, "scontrol create");
  if (!nodes) return nodes.error();
  for (NodeConfig& node : *nodes) {
    if (node.state != "CLOUD" && node.state != "FUTURE")
      return Error{ErrorCode::invalid_node_state, {}};
    if (node.port == 0) node.port = (*ledger.cluster().config).slurmd_port;
  }
  if (auto added = add_nodes(ledger, *nodes); !added) return added.error();
  return wire::Done{};
}

wire::Answer delete_nodes(Ledger& ledger, NodeLinks& links, const wire::UpdateRequest& request) {
  auto nodes = named_nodes(ledger.cluster(), request);
  if (!nodes) return nodes.error();
  for (NodeId id : *nodes) {
    const Node& node = ledger.node(id);
    if (!node.config.dynamic)
      return Error{ErrorCode::failure,
                   node.config.name.str() + " is in slurm.conf: remove it there"};
    if (!node.jobs.empty()) return Error{ErrorCode::nodes_busy, {}};
  }
  for (NodeId id : *nodes) ledger.record(NodeRemoved{.node = id});
  for (NodeId id : *nodes) links.forget(id);
  ledger.want_plan();
  return wire::Done{};
}

Result<std::vector<NodeId>> named_nodes(const Cluster& cluster,
                                        const wire::UpdateRequest& request) {
  auto list = find_setting(request.settings, {"NodeName"});
  if (!list || list->empty()) return fail(ErrorCode::invalid_node_name);
  if (iequals(*list, "ALL")) return *cluster.node_order;
  return cluster.nodes_named(*list);
}

}  // namespace muster::controller
