// The options of the commands that have a table of their own, for shell completion. Each is defined
// beside its table.
#pragma once

#include <string_view>
#include <vector>

#include "cli/options/command_options.h"

namespace muster::cli {

std::vector<OptionText> sacct_options();
std::vector<OptionText> sattach_options();
std::vector<OptionText> sbcast_options();
std::vector<OptionText> scancel_options();
std::vector<OptionText> sdiag_options();
std::vector<OptionText> seff_options();
std::vector<OptionText> sinfo_options();
std::vector<OptionText> sprio_options();
std::vector<OptionText> squeue_options();
std::vector<OptionText> sshare_options();
std::vector<OptionText> sstat_options();
std::vector<OptionText> strigger_options();
std::vector<std::string_view> scontrol_words();  // its commands

}  // namespace muster::cli
