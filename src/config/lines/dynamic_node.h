// Nodes that no file names: slurmd -Z --conf, scontrol create nodename=.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/node/node.h"

namespace muster::config {

// "NodeName=d[1-2] CPUs=4 Feature=a": what a line of slurm.conf would mean. `from` is named in
// errors.
Result<std::vector<NodeConfig>> parse_node_line(const std::string& text, const std::string& from);

}  // namespace muster::config
