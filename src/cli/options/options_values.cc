// Options whose values need a parser of their own.
#include "cli/options/options_values.h"

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/signals.h"
#include "base/text/strings.h"
#include "model/job/mail_type.h"

namespace muster::cli {

std::unexpected<Refusal> refused(const JobOptions& o, std::string_view text, int exit_code) {
  return std::unexpected(Refusal{error_lines(client_name(o.client), text), exit_code});
}

std::unexpected<Refusal> invalid_specification(const JobOptions& o, const OptionRow& row) {
  return refused(o, fmt::format("Invalid --{} specification", row.name), kExitBadOption);
}

std::unexpected<Refusal> invalid_number(const JobOptions& o, const OptionRow& row,
                                        std::string_view value) {
  // In Slurm's message this option has no dashes.
  std::string_view dashes = row.name == "immediate" ? "" : "--";
  return refused(o, fmt::format("Invalid numeric value \"{}\" for {}{}.", value, dashes, row.name),
                 kExitFailure);
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

Outcome gres(JobOptions& o, const OptionRow&, std::string_view value) {
  if (iequals(value, "help")) {
    o.list_gres = true;
    return {};
  }
  o.spec.gres = iequals(value, "none") ? Text{} : Text(value);
  return {};
}

Outcome exclusive(JobOptions& o, const OptionRow& row, std::string_view value) {
  if (iequals(value, "mcs")) {  // there are no labels by which jobs could differ
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

Outcome oversubscribe(JobOptions& o, const OptionRow&, std::string_view) {
  o.spec.oversubscribe = true;
  o.spec.exclusive = false;
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

// "[timeout][S|L]": how long to wait for the login shell, and whether it is one; here it always is.
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
  return {};
}

Outcome wrap(JobOptions& o, const OptionRow&, std::string_view value) {
  o.wrap = std::string(value);
  return {};
}

Outcome verbose(JobOptions& o, const OptionRow&, std::string_view value) {
  // The input variable contains a level; each -v adds one.
  if (value.empty())
    ++o.verbose;
  else if (auto level = parse_number<std::uint32_t>(value))
    o.verbose = *level;
  return {};
}

}  // namespace muster::cli
