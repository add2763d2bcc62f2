// problems: what is said of a command that cannot be, in the reference's words.
#pragma once

#include <string>
#include <string_view>

#include "cli/sacctmgr/site_line.h"

namespace muster::cli {

// Why nothing was done. `valid_qos` are the names of all QOS, `cluster` is the command's own.
struct ProblemContext {
  std::string valid_qos, cluster;
};
std::string refusal_text(const SiteLine& line, const wire::AccountsNote& note,
                         const ProblemContext& context);
// What is said of names that could not be done while others were; empty where nothing is.
std::string note_text(const SiteLine& line, const wire::AccountsNote& note);

}  // namespace muster::cli
