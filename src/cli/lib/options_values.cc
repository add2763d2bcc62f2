#include "cli/lib/options_values.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/date.h"
#include "base/signals.h"
#include "base/strings.h"
#include "cli/lib/limits.h"
#include "io/files.h"
#include "model/cpu_bind.h"
#include "model/distribution.h"
#include "model/gpu_bind.h"
#include "model/mail_type.h"
#include "model/mem_bind.h"

namespace muster::cli {

std::unexpected<Refusal> refused(const JobOptions& o, std::string_view text, int exit_code) {
  return std::unexpected(Refusal{error_lines(client_name(o.client), text), exit_code});
}

std::unexpected<Refusal> invalid_specification(const JobOptions& o, const OptionRow& row) {
  return refused(o, fmt::format("Invalid --{} specification", row.name), kExitBadOption);
}

std::unexpected<Refusal> invalid_number(const JobOptions& o, const OptionRow& row,
                                        std::string_view value) {
  // One option goes without its dashes, as in the reference.
  std::string_view dashes = row.name == "immediate" ? "" : "--";
  return refused(o, fmt::format("Invalid numeric value \"{}\" for {}{}.", value, dashes, row.name),
                 kExitFailure);
}

std::unexpected<Refusal> not_supported(const JobOptions& o, std::string_view what) {
  return refused(o, fmt::format("{}: not supported yet", what), kExitFailure);
}

Outcome not_yet(JobOptions& o, const OptionRow& row, std::string_view) {
  return not_supported(o, fmt::format("--{}", row.name));
}

Outcome not_yet_for_jobs(JobOptions& o, const OptionRow& row, std::string_view value) {
  return o.job_id ? Outcome{} : not_yet(o, row, value);
}

Outcome ignored(JobOptions&, const OptionRow&, std::string_view) { return {}; }

std::optional<std::uint32_t> parse_whole(std::string_view text, std::uint32_t least) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::int32_t>::max();
  if (text.starts_with('+')) text.remove_prefix(1);
  auto number = parse_number<std::uint32_t>(text);
  if (!number || *number < least || *number > kMost) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> parse_memory(std::string_view text) {
  auto digits = text.find_first_not_of("0123456789");
  auto amount = parse_number<std::uint64_t>(text.substr(0, digits));
  if (!amount) return std::nullopt;
  if (digits == text.npos) return amount;
  std::string unit = upper(text.substr(digits));
  if (unit.size() == 2 && unit[1] == 'B') unit.pop_back();
  if (unit.size() != 1) return std::nullopt;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() >> 21;
  if (*amount > kMost) return std::nullopt;
  switch (unit[0]) {
    case 'K':
      return (*amount + 1023) / 1024;
    case 'M':
      return amount;
    case 'G':
      return *amount << 10;
    case 'T':
      return *amount << 20;
    default:
      return std::nullopt;
  }
}

std::expected<Time, Refusal> parse_option_date(const JobOptions& o, const OptionRow& row,
                                               std::string_view value) {
  if (auto time = parse_date(value, o.now)) return *time;
  Refusal refusal = invalid_specification(o, row).error();
  if (!trim(value).empty())
    refusal.text.insert(0, fmt::format("Invalid time specification (pos={}): {}\n",
                                       date_fault(value, o.now), value));
  return std::unexpected(std::move(refusal));
}

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

// A count of nodes, with k or m for 1024 and its square.
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

// "sockets[:cores[:threads]]"; "*" leaves a part open.
Outcome extra_node_info(JobOptions& o, const OptionRow& row, std::string_view value) {
  std::optional<std::uint32_t>* parts[] = {&o.spec.sockets_per_node, &o.spec.cores_per_socket,
                                           &o.spec.threads_per_core};
  static constexpr std::string_view kPlaces[] = {"first", "second", "third"};
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

// Two kinds of programs use one thread of each core, one of these one core of each socket.
Outcome hint(JobOptions& o, const OptionRow&, std::string_view value) {
  if (iequals(value, "help"))
    return std::unexpected(
        Refusal{"--hint tells what the program is like:\n"
                "  compute_bound   it computes: one thread on every core\n"
                "  memory_bound    it waits for memory: one thread on one core of each socket\n"
                "  multithread     it gains from several threads on a core\n"
                "  nomultithread   it does not: one thread on every core\n",
                0});
  const bool memory_bound = iequals(value, "memory_bound");
  const bool one_thread =
      memory_bound || iequals(value, "compute_bound") || iequals(value, "nomultithread");
  if (!one_thread && !iequals(value, "multithread") && !iequals(value, "none"))
    return refused(o, fmt::format("unrecognized --hint argument \"{}\", see --hint=help", value),
                   kExitFailure);
  if (one_thread) o.spec.threads_per_core = 1;
  if (memory_bound) o.spec.cores_per_socket = 1;
  o.hint = lower(value);
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
  o.spec.max_nodes = *max;  // "-N 0" bounds nothing
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

Outcome gres(JobOptions& o, const OptionRow&, std::string_view value) {
  if (iequals(value, "help")) {
    o.list_gres = true;
    return {};
  }
  o.spec.gres = iequals(value, "none") ? Text{} : Text(value);
  return {};
}

Outcome exclusive(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (iequals(value, "mcs")) {  // there are no labels that would tell jobs apart
    o.spec.exclusive_mcs = true;
    return {};
  }
  if (iequals(value, "user")) {
    o.spec.exclusive_user = true;
    return {};
  }
  if (!value.empty() && !iequals(value, "exclusive")) return invalid_specification(o, row);
  o.spec.exclusive = true;
  o.spec.oversubscribe = false;
  return {};
}

Outcome signal(JobOptions& o, const OptionRow& row, std::string_view value) {
  constexpr std::uint32_t kMostSeconds = 0xffff;
  WarnSignal warn;
  if (auto colon = value.find(':'); colon != value.npos) {
    for (char letter : value.substr(0, colon)) {
      if (letter == 'B' || letter == 'b')
        warn.batch_shell_only = true;
      else if (letter == 'R' || letter == 'r')
        warn.yields_to_reservation = true;
      else
        return invalid_specification(o, row);
    }
    value.remove_prefix(colon + 1);
  }
  auto at = value.find('@');
  auto number = parse_signal(value.substr(0, at));
  if (!number || *number < 1) return invalid_specification(o, row);
  warn.number = *number;
  if (at != value.npos) {
    auto seconds = parse_number<std::uint32_t>(value.substr(at + 1));
    if (!seconds || *seconds > kMostSeconds) return invalid_specification(o, row);
    warn.seconds_before_end = *seconds;
  }
  o.spec.warn_signal = warn;
  return {};
}

Outcome nice(JobOptions& o, const OptionRow& row, std::string_view value) {
  constexpr std::int64_t kMost = 2147483645;
  constexpr std::int32_t kDefault = 100;
  if (value.empty()) {
    o.spec.nice = kDefault;
    return {};
  }
  auto number = parse_number<std::int64_t>(value.starts_with('+') ? value.substr(1) : value);
  if (!number) return invalid_specification(o, row);
  if (*number > kMost || *number < -kMost)
    return refused(o, fmt::format("Invalid --nice value, out of range (+/- {})", kMost),
                   kExitBadOption);
  o.spec.nice = static_cast<std::int32_t>(*number);
  return {};
}

Outcome priority(JobOptions& o, const OptionRow& row, std::string_view value) {
  constexpr std::int64_t kEnd = 4294967294;
  if (iequals(value, "top")) {
    o.spec.priority = static_cast<std::uint32_t>(kEnd - 1);
    return {};
  }
  auto number = parse_number<std::int64_t>(value);
  if (!number) return invalid_specification(o, row);
  if (*number < 0) return refused(o, "Priority must be >= 0", kExitBadOption);
  if (*number >= kEnd)
    return refused(o, fmt::format("Priority must be < {}", kEnd), kExitBadOption);
  o.spec.priority = static_cast<std::uint32_t>(*number);
  return {};
}

Outcome mail_type(JobOptions& o, const OptionRow& row, std::string_view value) {
  auto types = parse_mail_types(value);
  if (!types) return invalid_specification(o, row);
  o.spec.mail_type = *types;
  return {};
}

Outcome open_mode(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (iequals(value, "append") || iequals(value, "a"))
    o.spec.open_mode = OpenMode::append;
  else if (iequals(value, "truncate") || iequals(value, "t"))
    o.spec.open_mode = OpenMode::truncate;
  else
    return invalid_specification(o, row);
  return {};
}

Outcome requeue(JobOptions& o, const OptionRow&, std::string_view) {
  o.spec.requeue = true;
  return {};
}

Outcome no_requeue(JobOptions& o, const OptionRow&, std::string_view) {
  o.spec.requeue = false;
  return {};
}

Outcome no_kill(JobOptions& o, const OptionRow& row, std::string_view value) {
  bool off = iequals(value, "off") || iequals(value, "no");
  bool on = value.empty() || iequals(value, "set") || iequals(value, "on") || iequals(value, "yes");
  if (!on && !off) return invalid_specification(o, row);
  o.spec.no_kill = on;
  return {};
}

Outcome kill_on_invalid_dep(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (!iequals(value, "yes") && !iequals(value, "no")) return invalid_specification(o, row);
  o.spec.kill_on_invalid_dependency = iequals(value, "yes");
  return {};
}

// "[timeout][S|L]": how long to wait for the login shell and whether it is one; we always take one.
Outcome get_user_env(JobOptions& o, const OptionRow& row, std::string_view value) {
  auto digits = value.find_first_not_of("0123456789");
  if (digits != value.npos) {
    std::string mode = upper(value.substr(digits));
    if (mode != "S" && mode != "L") return invalid_specification(o, row);
  }
  o.spec.get_user_env = true;
  return {};
}

Outcome wait_all_nodes(JobOptions& o, const OptionRow& row, std::string_view value) {
  auto number = parse_whole(value, 0);
  if (!number) return invalid_number(o, row, value);
  if (*number > 1) return invalid_specification(o, row);
  o.spec.wait_all_nodes = *number == 1;
  return {};
}

Outcome wrap(JobOptions& o, const OptionRow&, std::string_view value) {
  o.wrap = std::string(value);
  return {};
}

Outcome verbose(JobOptions& o, const OptionRow&, std::string_view value) {
  // The input variable carries a level, the option counts.
  if (value.empty())
    ++o.verbose;
  else if (auto level = parse_number<std::uint32_t>(value))
    o.verbose = *level;
  return {};
}

Outcome distribution(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (!parse_distribution(value)) {
    auto bad = invalid_specification(o, row);
    if (istarts_with(value, "plane"))
      bad.error().text.insert(
          0, error_lines(client_name(o.client), "Invalid plane size or size not specified"));
    return bad;
  }
  o.spec.distribution = Text(value);
  return {};
}

Outcome propagate(JobOptions& o, const OptionRow&, std::string_view value) {
  if (auto name = value.empty() ? std::nullopt : unknown_limit(value))
    return refused(o,
                   fmt::format("Bad rlimit name: {}\n--propagate={} is not valid.", *name, value),
                   kExitFailure);
  o.spec.propagate = Text(value);
  return {};
}

Outcome acctg_freq(JobOptions& o, const OptionRow& row, std::string_view value) {
  for (std::string_view part : split(value, ',')) {
    auto equals = part.find('=');
    std::string_view type = part.substr(0, equals);
    bool known = false;
    for (std::string_view each : {"task", "energy", "network", "filesystem"})
      known |= iequals(type, each);
    bool has_number = equals != part.npos && parse_number<std::uint32_t>(part.substr(equals + 1));
    bool bare_number = equals == part.npos && parse_number<std::uint32_t>(part);
    if (!(known && has_number) && !bare_number)
      return refused(o, fmt::format("Invalid --{} specification: {}", row.name, value),
                     kExitBadOption);
  }
  o.spec.acctg_freq = Text(value);
  return {};
}

// There is nothing that writes profiles; tasks are told what was asked for, as in the reference.
Outcome profile(JobOptions& o, const OptionRow&, std::string_view value) {
  static constexpr std::array<std::string_view, 6> kTypes{"None", "All",    "Energy",
                                                          "Task", "Lustre", "Network"};
  std::vector<std::string> types;
  for (std::string_view part : split(value, ',')) {
    auto known = std::ranges::find_if(kTypes, [&](auto each) { return iequals(part, each); });
    if (known == kTypes.end())
      return refused(o, fmt::format("invalid --profile={} option", value), kExitBadOption);
    types.emplace_back(*known);
  }
  o.profile = join(types, ",");
  return {};
}

Outcome compress(JobOptions& o, const OptionRow&, std::string_view value) {
  if (value.empty() || iequals(value, "lz4") || iequals(value, "none")) {
    o.compress = std::string(value);
    return {};
  }
  print_error(client_name(o.client),
              fmt::format("Compression type '{}' unknown, disabling compression support.", value));
  o.compress = "none";
  return {};
}

Outcome send_libs(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (iequals(value, "no") || iequals(value, "n")) return {};
  if (!value.empty() && !iequals(value, "yes") && !iequals(value, "y"))
    return invalid_specification(o, row);
  return not_yet(o, row, value);
}

// g: GPUs close to the task's CPUs; n: network cards, of which tasks have none to choose from.
Outcome accel_bind(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (value.empty() || value.find_first_not_of("gmnv") != value.npos)
    return invalid_specification(o, row);
  if (value.contains('g') && o.gpu_bind.empty()) o.gpu_bind = "closest";
  return {};
}

Outcome delay_boot(JobOptions& o, const OptionRow& row, std::string_view value) {
  auto span = parse_duration(value);
  if (!span || span->count() < 0 || span->count() > std::numeric_limits<std::int32_t>::max())
    return invalid_specification(o, row);
  o.spec.delay_boot_s = static_cast<std::uint32_t>(span->count());
  return {};
}

Outcome cpu_bind(JobOptions& o, const OptionRow&, std::string_view value) {
  if (iequals(value, "help"))
    return std::unexpected(
        Refusal{"--cpu-bind=[verbose,|quiet,]HOW binds each task to CPUs of the step:\n"
                "  none                        not at all\n"
                "  rank                        to one CPU, by the task's number on the node\n"
                "  threads, cores, sockets, ldoms   to so many whole ones as it has CPUs\n"
                "  one_thread[,HOW]            of each core to one thread\n"
                "  map_cpu:N,...               to these CPUs, task by task\n"
                "  mask_cpu:MASK,...           to these sets of CPUs, task by task\n",
                0});
  auto bind = parse_cpu_bind(value);
  if (!bind)
    return std::unexpected(
        Refusal{error_lines(client_name(o.client), bind.error().text()) +
                    fatal_line(client_name(o.client), "Failed to parse --cpu-bind= values."),
                kExitFailure});
  o.cpu_bind = Text(value);
  return {};
}

Outcome gpu_bind(JobOptions& o, const OptionRow&, std::string_view value) {
  auto bind = parse_gpu_bind(value);
  if (!bind) return refused(o, bind.error().text(), kExitBadOption);
  o.gpu_bind = Text(value);
  return {};
}

Outcome mem_bind(JobOptions& o, const OptionRow&, std::string_view value) {
  if (iequals(value, "help"))
    return std::unexpected(Refusal{
        "--mem-bind=[verbose,|quiet,][prefer,]HOW binds the memory of each task to NUMA nodes:\n"
        "  none                        not at all\n"
        "  local                       to those of the CPUs it runs on\n"
        "  rank                        by the task's number on the node\n"
        "  map_mem:N,...               to these, task by task\n"
        "  mask_mem:MASK,...           to these sets, task by task\n",
        0});
  auto bind = parse_mem_bind(value);
  if (!bind) return refused(o, bind.error().text(), kExitBadOption);
  o.mem_bind = Text(value);
  return {};
}

}  // namespace muster::cli
