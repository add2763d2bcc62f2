// Lists as users write them on a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/lib/errors.h"

namespace muster::cli {

// "12,13_[1,4]" at its commas, but not at those between brackets.
std::vector<std::string> split_job_list(std::string_view text);

// "gres:gpu:1,gres:shard:2" of "gpu:1,shard:2"
std::string tres_list(std::string_view gres);

// "gpu:single:1" of the value of --gpu-bind; empty where nothing was said.
std::string of_gpus(std::string_view value);

// -M: there is one cluster, known by its name and as "all".
Outcome check_clusters(std::string_view program, std::string_view names, std::string_view own);

}  // namespace muster::cli
