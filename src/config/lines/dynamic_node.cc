// Reads descriptions of dynamic nodes, as a line of slurm.conf would give them.
#include "config/lines/dynamic_node.h"

#include "base/text/strings.h"
#include "config/lines/node_line.h"

namespace muster::config {

Result<std::vector<NodeConfig>> parse_node_line(const std::string& text, const std::string& from) {
  auto lines = read_lines([&](const std::string&) -> Result<std::string> { return text; }, from);
  if (!lines) return std::unexpected(lines.error());
  NodeLines nodes;
  for (const Line& line : *lines) {
    if (!iequals(line.settings.front().key, "NodeName"))
      return invalid(line.at, "a node line starts with NodeName=");
    if (auto added = nodes.add_nodes(line); !added) return std::unexpected(added.error());
  }
  std::vector<NodeConfig> found;
  for (ConfiguredNode& entry : nodes.nodes) {
    entry.node.dynamic = true;
    found.push_back(std::move(entry.node));
  }
  return found;
}

}  // namespace muster::config
