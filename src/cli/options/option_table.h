// The one table of job options: a row per option of sbatch, srun and salloc. Command lines, input
// variables, --help and --usage all come from it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cli/options/options.h"
#include "cli/options/options_words.h"

namespace muster::cli {

struct OptionRow;
using ParseOption = Outcome (*)(JobOptions& options, const OptionRow& row, std::string_view value);

inline constexpr std::uint8_t kOwnOption = 8;  // Slurm has no such option

struct OptionRow {
  std::string_view name;
  char letter;           // 0 = none
  std::uint8_t clients;  // bits of Client, and kOwnOption
  Argument argument;
  ParseOption parse;
  std::string_view value_name;  // for --help
  std::string_view help;        // empty = another spelling, not listed
  // Input variables, separated by blanks; the first one that is set counts.
  std::string_view sbatch_env = {}, srun_env = {}, salloc_env = {};

  bool belongs_to(Client client) const { return clients & static_cast<std::uint8_t>(client); }
  bool is_own() const { return clients & kOwnOption; }
  std::string_view input_variables(Client client) const;
};

std::span<const OptionRow> option_table();  // by name
const OptionRow* find_option(Client client, std::string_view name);

}  // namespace muster::cli
