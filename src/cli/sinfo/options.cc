// Reads sinfo's command line and its SINFO_* variables.
#include <array>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "cli/options/command_options.h"
#include "cli/options/option_lists.h"
#include "cli/sinfo/list.h"

namespace muster::cli {

namespace {

std::unexpected<Refusal> refuse(std::string_view text) {
  return std::unexpected(Refusal{error_lines("sinfo", text)});
}

Outcome set_all(InfoOptions& options, Value) {
  options.all = options.all_given = true;
  return {};
}

Outcome set_nodes(InfoOptions& options, Value value) {
  auto names = expand_hostlist(value);
  if (!names) return refuse(fmt::format("'{}' invalid entry for --nodes", value));
  options.nodes = {names->begin(), names->end()};
  options.nodes_given = true;
  return {};
}

Outcome set_iteration(InfoOptions& options, Value value) {
  auto seconds = parse_number<int>(value);
  if (!seconds || *seconds <= 0)
    return refuse(fmt::format("Error: invalid entry for --iterate={}", value));
  options.iterate_s = *seconds;
  return {};
}

Outcome set_states(InfoOptions& options, Value value) {
  auto states = parse_node_states(value);
  if (!states) return std::unexpected(states.error());
  options.states = std::move(*states);
  return {};
}

Outcome no_yaml(InfoOptions&, Value) { return refuse("--yaml is not supported, use --json"); }

Outcome set_colour(InfoOptions&, Value when) { return choose_colours_by("sinfo", when); }

using O = InfoOptions;
// clang-format off
constexpr auto kRows = std::to_array<CommandOption<O>>({
    {{{"all", 'a', none}, "", "include nodes of hidden partitions (also SINFO_ALL)"}, set_all},
    {{{"cluster", 0, required}, "list", ""}, keep<&O::clusters>},
    {{{"clusters", 'M', required}, "list", "nodes of these clusters", "SLURM_CLUSTERS"}, keep<&O::clusters>},
    {{{"color", 0, Argument::optional, true}, "when", "states in colour: auto (on a terminal, unless NO_COLOR is set), always, never"}, set_colour},
    {{{"dead", 'd', none}, "", "nodes that do not answer"}, flag<&O::dead>},
    {{{"exact", 'e', none}, "", "only nodes with equal values share a line"}, flag<&O::exact>},
    {{{"federation", 0, none}, "", "accepted: there are no federations", "SINFO_FEDERATION"}, accepted},
    {{{"Format", 'O', required}, "list", "columns by name: NodeList:20,CPUs:.5"}, keep<&O::long_format>},
    {{{"format", 'o', required}, "format", "columns by letter: \"%9P %.5a %N\" (also SINFO_FORMAT)"}, keep<&O::format>},
    {{{"help", 0, none}, "", "show this list"}},
    {{{"hide", 0, none}, "", "no nodes of hidden partitions (the default)"}, flag<&O::all, false>},
    {{{"iterate", 'i', required}, "seconds", "list again and again at this interval"}, set_iteration},
    {{{"json", 0, none}, "", "print JSON"}, flag<&O::json>},
    {{{"list-reasons", 'R', none}, "", "why nodes are out of service"}, flag<&O::reasons>},
    {{{"local", 0, none}, "", "accepted: there are no federations", "SINFO_LOCAL"}, accepted},
    {{{"long", 'l', none}, "", "more columns"}, flag<&O::long_form>},
    {{{"noconvert", 0, none}, "", "accepted: amounts are never converted"}, accepted},
    {{{"Node", 'N', none}, "", "a line for each node and partition"}, flag<&O::node_form>},
    {{{"nodes", 'n', required}, "nodes", "these nodes"}, set_nodes},
    {{{"noheader", 'h', none}, "", "no header line"}, flag<&O::header, false>},
    {{{"partition", 'p', required}, "list", "nodes of these partitions (also SINFO_PARTITION)"}, keep<&O::partitions>},
    {{{"reservation", 'T', none}, "", "reservations instead of nodes"}, flag<&O::reservations>},
    {{{"responding", 'r', none}, "", "nodes that answer"}, flag<&O::responding>},
    {{{"sort", 'S', required}, "list", "order, letters of --format: #P,-t", "SINFO_SORT"}, keep<&O::sort>},
    {{{"states", 't', required}, "list", "nodes in one of these states; a&b: in both"}, set_states},
    {{{"summarize", 's', none}, "", "a line for each partition"}, flag<&O::summarize>},
    {{{"usage", 0, none}, "", "show a short list of options"}},
    {{{"verbose", 'v', none}, "", "print what is done"}, count<&O::verbose>},
    {{{"version", 'V', none}, "", "show the version"}},
    {{{"yaml", 0, none}, "", ""}, no_yaml},
});
// clang-format on
constexpr CommandText kCommand{"sinfo", "Lists partitions and nodes.", ""};

}  // namespace

std::vector<OptionText> sinfo_options() { return {kRows.begin(), kRows.end()}; }

std::expected<InfoOptions, Refusal> parse_sinfo(std::span<const std::string> words) {
  InfoOptions options;
  options.all = !env_text("SINFO_ALL").empty();
  auto rest = read_options<O>(kCommand, kRows, words, options);  // arguments are ignored
  if (!rest) return std::unexpected(rest.error());
  if (options.all_given && !options.partitions.empty())
    return refuse("Conflicting options, -a and -p, specified. Please choose one or the other.");
  if (options.partitions.empty() && !options.all_given)
    options.partitions = split_list(env_text("SINFO_PARTITION"));
  bool chosen = options.node_form || options.summarize || options.reasons;
  if (!chosen && options.format.empty() && options.long_format.empty())
    options.format = env_text("SINFO_FORMAT");
  return options;
}

}  // namespace muster::cli
