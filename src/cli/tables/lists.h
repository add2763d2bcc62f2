// Lists as users write them on a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/lib/errors.h"

namespace muster::cli {

// "12,13_[1,4]" split at its commas, except at those within brackets.
std::vector<std::string> split_job_list(std::string_view text);

// "gres:gpu:1,gres:shard:2" for "gpu:1,shard:2"
std::string tres_list(std::string_view gres);

// "gpu:single:1" for the value of --gpu-bind; empty for no value.
std::string of_gpus(std::string_view value);

// -M: there is one cluster; its name and "all" mean it.
Outcome check_clusters(std::string_view program, std::string_view names, std::string_view own);

}  // namespace muster::cli
