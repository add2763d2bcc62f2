// Dynamic nodes, which no file names: slurmd -Z --conf, scontrol create nodename=.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/node/node.h"

namespace muster::config {

// "NodeName=d[1-2] CPUs=4 Feature=a", read like a line of slurm.conf. Errors name `from`.
Result<std::vector<NodeConfig>> parse_node_line(const std::string& text, const std::string& from);

}  // namespace muster::config
