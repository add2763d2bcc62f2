// Options about which nodes a job gets and how many, and where on them it is placed.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/strings.h"
#include "cli/options/options_values.h"
#include "io/files.h"

namespace muster::cli {

std::optional<std::string> read_node_file(const std::string& path) {
  auto text = io::read_file(path);
  if (!text) return std::nullopt;
  std::string list;
  for (std::string_view line : split(*text, '\n')) {
    std::string_view names = trim(line.substr(0, line.find('#')));
    if (names.empty()) continue;
    if (!list.empty()) list += ',';
    list += names;
  }
  return list;
}

namespace {

// A number of nodes; k and m multiply by 1024 and 1024 * 1024.
std::optional<std::uint32_t> parse_node_count(std::string_view text) {
  std::uint64_t factor = 1;
  if (!text.empty() && (text.back() == 'k' || text.back() == 'K')) factor = 1024;
  if (!text.empty() && (text.back() == 'm' || text.back() == 'M')) factor = 1024 * 1024;
  if (factor != 1) text.remove_suffix(1);
  auto count = parse_number<std::uint32_t>(text);
  if (!count || *count * factor > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*count * factor);
}

std::unexpected<Refusal> bad_node_count(const JobOptions& o, std::string_view text) {
  return refused(o, fmt::format("\"{}\" is not a valid node count", text), kExitBadOption);
}

Outcome node_names(JobOptions& o, const OptionRow& row, std::string_view value, Text& field) {
  if (value.find('/') == value.npos) {
    field = Text(value);
    return {};
  }
  auto list = read_node_file(std::string(value));
  if (!list) return invalid_specification(o, row);
  field = Text(*list);
  return {};
}

}  // namespace

// "sockets[:cores[:threads]]"; parts that are "*" or missing are not set.
Outcome extra_node_info(JobOptions& o, const OptionRow& row, std::string_view value) {
  std::optional<std::uint32_t>* parts[] = {&o.spec.sockets_per_node, &o.spec.cores_per_socket,
                                           &o.spec.threads_per_core};
  static constexpr std::string_view kPlaces[] = {"first", "second", "third"};
  for (auto* part : parts) part->reset();
  std::size_t i = 0;
  for (std::string_view part : split(value, ':')) {
    if (i == std::size(parts)) return invalid_specification(o, row);
    auto count = parse_whole(part, 0);
    if (!count && part != "*")
      return refused(
          o, fmt::format("Invalid numeric value \"{}\" for {} arg of -B.", part, kPlaces[i]),
          kExitFailure);
    if (count == 0) count.reset();
    *parts[i++] = count;
  }
  return {};
}

Outcome hint(JobOptions& o, const OptionRow&, std::string_view value) {
  if (iequals(value, "help"))
    return std::unexpected(
        Refusal{"--hint tells what the program is like:\n"
                "  compute_bound   it computes: one thread on every core\n"
                "  memory_bound    it waits for memory: one thread on one core of each socket\n"
                "  multithread     it gains from several threads on a core\n"
                "  nomultithread   it does not: one thread on every core\n",
                0});
  static constexpr std::string_view kHints[] = {"compute_bound", "memory_bound", "multithread",
                                                "nomultithread", "none"};
  if (!std::ranges::any_of(kHints, [&](std::string_view known) { return iequals(value, known); }))
    return refused(o, fmt::format("unrecognized --hint argument \"{}\", see --hint=help", value),
                   kExitFailure);
  o.hint = lower(value);  // its effects depend on other options: see follow_hint
  return {};
}

Outcome nodes(JobOptions& o, const OptionRow&, std::string_view value) {
  auto dash = value.find('-');
  std::string_view least = value.substr(0, dash);
  auto min = parse_node_count(least);
  if (!min) return bad_node_count(o, least.empty() ? value : least);
  auto max = min;
  if (dash != value.npos) {
    std::string_view most = value.substr(dash + 1);
    max = parse_node_count(most);
    if (!max) return bad_node_count(o, most);
    if (*max < *min)
      return refused(
          o, fmt::format("Maximum node count {} is less than minimum node count {}", *max, *min),
          kExitBadOption);
  }
  o.spec.min_nodes = *max == 0 ? 0 : std::max<std::uint32_t>(*min, 1);
  o.spec.max_nodes = *max;  // "-N 0" means no limit
  o.spec.nodes_given = *max != 0;
  return {};
}

Outcome node_list(JobOptions& o, const OptionRow& row, std::string_view value) {
  return node_names(o, row, value, o.spec.required_nodes);
}

Outcome exclude_list(JobOptions& o, const OptionRow& row, std::string_view value) {
  return node_names(o, row, value, o.spec.excluded_nodes);
}

Outcome node_file(JobOptions& o, const OptionRow&, std::string_view value) {
  auto list = read_node_file(std::string(value));
  if (!list) {
    std::string why = std::strerror(errno);
    return refused(o,
                   fmt::format("slurm_allocate_resources error opening file {}, {}\n"
                               "Invalid --nodefile node file",
                               value, why),
                   kExitBadOption);
  }
  o.spec.required_nodes = Text(*list);
  return {};
}

Outcome gres_flags(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (!iequals(value, "enforce-binding") && !iequals(value, "disable-binding"))
    return invalid_specification(o, row);
  o.spec.enforce_binding = iequals(value, "enforce-binding");
  o.spec.disable_binding = !o.spec.enforce_binding;
  return {};
}

// A list without names differs from no list: the request gets an empty list.
Outcome partition_names(JobOptions& o, const OptionRow&, std::string_view value) {
  o.spec.partition = value.empty() ? "," : value;
  return {};
}

Outcome switches(JobOptions& o, const OptionRow& row, std::string_view value) {
  auto at = value.find('@');
  std::string_view number = value.substr(0, at);
  auto count = parse_number<std::uint32_t>(number);
  if (!count || *count == 0) return invalid_number(o, row, number);
  o.spec.switches = *count;
  if (at == value.npos) return {};
  auto wait = parse_duration(value.substr(at + 1));
  if (!wait) return invalid_specification(o, row);
  o.spec.switches_wait = *wait;
  return {};
}

}  // namespace muster::cli
