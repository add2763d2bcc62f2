// --help, --usage and --version, made from the option table.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/options.h"
#include "cli/options/options_words.h"

namespace muster::cli {

std::string help_text(Client client);
std::string usage_text(Client client);
std::string version_text();  // what -V prints, a line

// "  -t, --time=limit   text", the text wrapped to 100 columns.
std::string help_line(char letter, std::string_view name, std::string_view value_name,
                      bool value_optional, std::string_view help);
// "[--time=limit]"
std::string usage_part(std::string_view name, Argument argument, std::string_view value_name);
// "Usage: sbatch [a] [b] ..." wrapped to 80 columns.
std::string wrapped_usage(std::string_view program, const std::vector<std::string>& parts);

// If the words ask for help, usage or the version: prints it and returns true.
bool answer_help(Client client, const ParsedWords& words);

}  // namespace muster::cli
