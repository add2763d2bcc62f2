// Writes the mapping of ranks to nodes.
#include "step/logic/process_mapping.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>

namespace muster {
namespace {

struct Block {
  std::size_t first_node = 0, nodes = 0, ranks_each = 0;
};

// Ranks in order; consecutive ranks on the same node form a block.
std::vector<Block> runs(const std::vector<wire::NodeRanks>& layout) {
  std::map<std::uint32_t, std::size_t> node_of;
  for (std::size_t node = 0; node < layout.size(); ++node)
    for (std::uint32_t rank : layout[node].ranks) node_of[rank] = node;
  std::vector<Block> blocks;
  for (const auto& [rank, node] : node_of)
    if (!blocks.empty() && blocks.back().first_node == node)
      ++blocks.back().ranks_each;
    else
      blocks.push_back({node, 1, 1});
  return blocks;
}

}  // namespace

std::string process_mapping(const std::vector<wire::NodeRanks>& layout) {
  std::vector<Block> blocks;
  for (const Block& run : runs(layout)) {
    const bool goes_on = !blocks.empty() && blocks.back().ranks_each == run.ranks_each &&
                         blocks.back().first_node + blocks.back().nodes == run.first_node;
    if (goes_on)
      ++blocks.back().nodes;
    else
      blocks.push_back(run);
  }
  std::string text = "(vector";
  for (const Block& block : blocks)
    text += fmt::format(",({},{},{})", block.first_node, block.nodes, block.ranks_each);
  return text + ")";
}

}  // namespace muster
