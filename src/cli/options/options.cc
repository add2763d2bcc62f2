// Applies the options of a command line, of variables and of #SBATCH lines.
#include "cli/options/options.h"

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "cli/options/nearest.h"
#include "cli/options/option_table.h"
#include "cli/options/options_words.h"

namespace muster::cli {

std::string_view client_name(Client client) {
  switch (client) {
    case Client::sbatch:
      return "sbatch";
    case Client::srun:
      return "srun";
    case Client::salloc:
      return "salloc";
  }
  return "muster";
}

std::expected<ParsedWords, Refusal> parse_words(Client client, std::span<const std::string> words) {
  std::vector<WordOption> known;
  for (const OptionRow& row : option_table())
    if (row.belongs_to(client)) known.push_back({row.name, row.letter, row.argument, row.is_own()});
  auto split = split_options(known, words, Operands::end_options);
  std::string_view program = client_name(client);
  if (!split) {
    std::string text = fmt::format("{}: {}\n", program, split.error());
    if (is_for_people()) text += hint_line(program, nearest_option(split.error(), known));
    text += fmt::format("Try \"{} --help\" for more information\n", program);
    return std::unexpected(Refusal{text, kExitBadOption});
  }
  ParsedWords parsed;
  for (GivenOption& option : split->options)
    parsed.options.emplace_back(known[option.option].name, std::move(option.value));
  parsed.rest = std::move(split->rest);
  return parsed;
}

namespace {

// All spellings of an option count as the same option.
std::string_view canonical(std::string_view name) {
  if (name == "tasks-per-node") return "ntasks-per-node";
  if (name == "cpu_bind") return "cpu-bind";
  if (name == "ntasks-per-tres") return "ntasks-per-gpu";
  return name;
}

Outcome apply_one(JobOptions& options, std::string_view name, std::string_view value,
                  Source source) {
  const OptionRow* row = find_option(options.client, name);
  if (auto done = row->parse(options, *row, value); !done) return done;
  options.given.insert_or_assign(std::string(canonical(name)),
                                 OptionUse{source, std::string(value)});
  return {};
}

// Two options have part of their value in a second variable: the block size of "plane", and the
// time to wait for a number of switches.
std::string with_second_variable(std::string_view row, std::string_view name, std::string value,
                                 const std::function<const char*(const char*)>& lookup) {
  auto append = [&](char separator, const std::string& variable) {
    const char* rest = lookup(variable.c_str());
    if (rest && value.find(separator) == value.npos) value += fmt::format("{}{}", separator, rest);
  };
  if (row == "distribution" && iequals(value, "plane")) append('=', "SLURM_DIST_PLANESIZE");
  if (row == "switches") append('@', fmt::format("{}_WAIT4SWITCH", name.substr(0, name.find('_'))));
  return value;
}

// "", "yes", or a number other than 0.
bool sets_flag(std::string_view value) {
  if (value.empty() || iequals(value, "yes")) return true;
  return parse_number<std::int64_t>(trim(value)).value_or(0) != 0;
}

}  // namespace

Outcome apply(JobOptions& options, const ParsedWords& words, Source source) {
  for (std::size_t i = 0; i < words.options.size(); ++i) {
    const auto& [name, value] = words.options[i];
    auto done = apply_one(options, name, value, source);
    if (done) continue;
    if (i < words.places.size() && is_for_people())
      done.error().text += hint_line(client_name(options.client), words.places[i]);
    return done;
  }
  return {};
}

Outcome apply_environment(JobOptions& options,
                          const std::function<const char*(const char*)>& lookup) {
  if (const char* file = lookup("SLURM_HOSTFILE")) options.host_file = file;
  for (const OptionRow& row : option_table()) {
    if (!row.belongs_to(options.client)) continue;
    for (std::string_view name : split_words(row.input_variables(options.client))) {
      const char* value = lookup(std::string(name).c_str());
      if (!value) continue;
      const bool is_flag = row.argument == Argument::none && row.name != "verbose";
      if (is_flag && !sets_flag(value)) break;
      const bool has_value = !is_flag;
      std::string text = has_value ? with_second_variable(row.name, name, value, lookup) : "";
      if (auto done = apply_one(options, row.name, text, Source::environment); !done) return done;
      break;
    }
  }
  return {};
}

std::string describe(const JobOptions& options) {
  constexpr std::string_view kRule = "-------------------- --------------------";
  std::string out = fmt::format("defined options\n{}\n", kRule);
  for (const auto& [name, use] : options.given) {
    std::string value = use.value.empty() ? "set" : use.value;
    if (name == "verbose") value = std::to_string(options.verbose);
    if (name == "time" && options.spec.time_limit) value = format_limit(*options.spec.time_limit);
    if (name == "time-min" && options.spec.time_min) value = format_limit(*options.spec.time_min);
    if (name == "begin" && is_set(options.spec.begin)) value = format_date(options.spec.begin);
    if (name == "deadline" && is_set(options.spec.deadline))
      value = format_date(options.spec.deadline);
    out += fmt::format("{:<20}: {}\n", name, value);
  }
  return out + fmt::format("{}\nend of defined options", kRule);
}

}  // namespace muster::cli
