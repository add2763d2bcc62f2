// Lists as users write them on a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/lib/errors.h"

namespace muster::cli {

// "12,13_[1,4]" at its commas, but not at those between brackets.
std::vector<std::string> split_job_list(std::string_view text);

// -M: there is one cluster, known by its name and as "all".
Outcome check_clusters(std::string_view program, std::string_view names, std::string_view own);

}  // namespace muster::cli
