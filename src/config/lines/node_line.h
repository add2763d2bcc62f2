// `NodeName=`, `DownNodes=` and `NodeSet=` lines of slurm.conf.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text/strings.h"
#include "config/keys/source.h"
#include "model/node/node.h"

namespace muster::config {

using Values = std::map<std::string, std::string, CaseInsensitiveLess>;

// One node as its line describes it. Its gres are text until gres.conf is read.
struct ConfiguredNode {
  Location at;
  NodeConfig node;
};

struct NodeSet {
  Location at;
  std::string name;
  std::vector<std::string> nodes;  // expanded Nodes=
  std::string feature;             // Feature=
};

struct DownNodes {
  Location at;
  std::vector<std::string> nodes;
  std::string state, reason;
};

// Collects node lines in the order of the file; NodeName=DEFAULT changes the defaults of later
// lines.
class NodeLines {
 public:
  Result<void> add_nodes(const Line& line);
  Result<void> add_down_nodes(const Line& line);
  Result<void> add_node_set(const Line& line);
  // Call it after all lines: applies DownNodes.
  Result<void> finish();

  std::vector<ConfiguredNode> nodes;
  std::vector<NodeSet> sets;
  std::vector<std::string> warnings;
  std::vector<std::string> ignored;  // as "NodeName Parameters"

 private:
  Values defaults_;
  std::map<std::string, std::size_t> index_;  // by name
  std::vector<DownNodes> down_;
};

}  // namespace muster::config
