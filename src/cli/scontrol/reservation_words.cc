// Checks the words of scontrol create, update and delete reservation before they are sent.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "cli/scontrol/reservation.h"
#include "model/reservation.h"
#include "wire/update_keys.h"

namespace muster::cli {

namespace {

using fmt::format;

// "res", "reservation", "ReservationName"
bool is_reservation_word(std::string_view word) {
  return word.size() >= 3 && istarts_with("ReservationName", word);
}

// The record is a job, whose Reservation= is to be changed.
bool is_job_word(std::string_view word) {
  return word.size() >= 3 && (istarts_with("JobId", word) || istarts_with("JobName", word));
}

const wire::UpdateKey* find_key(std::string_view word) {
  return wire::find_abbreviated_key(wire::UpdateRequest::Kind::reservation, word);
}

std::string_view without_sign(std::string_view key) {
  return key.ends_with('+') || key.ends_with('-') ? key.substr(0, key.size() - 1) : key;
}

bool is_count_or_thousands(std::string_view text) {
  if (text.ends_with('k') || text.ends_with('K')) text.remove_suffix(1);
  return parse_number<std::uint32_t>(text).has_value();
}

bool are_counts(std::string_view text) {
  return std::ranges::all_of(split(text, ','), is_count_or_thousands);
}

bool are_flags(std::string_view text) {
  return std::ranges::all_of(split(text, ','), [](std::string_view word) {
    if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
    auto equals = word.find('=');
    if (equals != word.npos && !parse_time_limit(word.substr(equals + 1))) return false;
    return word.empty() || reservation_flag(word).has_value();
  });
}

std::optional<std::string> tres_problem(std::string_view text) {
  for (std::string_view item : split(text, ',')) {
    std::string_view name = trim(item.substr(0, item.find('=')));
    if (iequals(name, "cpu") || iequals(name, "node") || istarts_with(name, "license/")) continue;
    const bool known = iequals(name, "mem") || iequals(name, "energy") ||
                       istarts_with(name, "gres/") || istarts_with(name, "fs/");
    return known ? format("TRES type '{}' not supported with reservations", name)
                 : format("couldn't identify configured TRES '{}'", name);
  }
  return std::nullopt;
}

class Checker {
 public:
  Checker(const ReservationSettings& settings, bool create)
      : settings_(settings),
        end_(create ? "  No reservation created." : "  No reservation update."),
        now_(std::chrono::floor<Millis>(std::chrono::system_clock::now())) {}

  std::optional<std::string> each() const {
    for (const auto& [key, value] : settings_)
      if (auto problem = one(key, value)) return problem;
    return std::nullopt;
  }

  // The keys that a new reservation needs.
  std::optional<std::string> whole() const {
    if (!given("StartTime")) return format("A start time must be given.{}", end_);
    if (!given("EndTime") && !given("Duration"))
      return format("An end time or duration must be given.{}", end_);
    auto start = date("StartTime"), end = date("EndTime");
    if (end && *end < *start) return format("Start time cannot be after end time.{}", end_);
    if (end && given("Duration") && *end != *start + *parse_time_limit(value_of("Duration")))
      return format("StartTime + Duration does not equal EndTime.{}", end_);
    if (!says_what())
      return format("CoreCnt, Nodes, NodeCnt, BurstBuffer, Licenses or Watts must be specified.{}",
                    end_);
    if (given("Users") && given("Groups"))
      return format(
          "Users and Groups are mutually exclusive.  You can have one or the other, but not "
          "both.{}",
          end_);
    if (!given("Users") && !given("Groups") && !given("Accounts"))
      return format("Either Users/Groups and/or Accounts must be specified.{}", end_);
    if (asks_for_partition() && !(given("PartitionName") && iequals(value_of("Nodes"), "ALL")))
      return format("PART_NODES flag requires specifying a Partition and ALL nodes.{}", end_);
    return std::nullopt;
  }

 private:
  std::optional<std::string> one(const std::string& key, const std::string& value) const {
    std::string_view name = without_sign(key);
    if (name == "ReservationName") return std::nullopt;
    if (name == "BurstBuffer" || name == "Watts")
      return format("{}: burst buffers and power caps are not supported.{}", name, end_);
    if (!find_key(name)) return format("Unknown parameter {}={}.{}", key, value, end_);
    if (name == "Nodes" && name != key)
      return format("The +=/-= notation is not supported when updating nodes.{}", end_);
    if (name == "StartTime" && !parse_date(value, now_)) return bad("start time", key, value);
    if (name == "EndTime" && !parse_date(value, now_)) return bad("end time", key, value);
    if (name == "Duration" && !parse_time_limit(value)) return bad("duration", key, value);
    if (name == "MaxStartDelay" && !parse_duration(value)) return bad("duration", key, value);
    if (name == "NodeCnt" && !are_counts(value)) return format("Invalid node count {}", value);
    if (name == "CoreCnt" && !are_counts(value)) return format("Invalid core count {}", value);
    if (name == "Flags" && !are_flags(value))
      return format("Error parsing flags {}{}.{}", key.size() > name.size() ? key.substr(5) : "",
                    value, end_);
    if (name == "TRES") return tres_problem(value);
    return std::nullopt;
  }
  std::string bad(std::string_view what, std::string_view key, std::string_view value) const {
    return format("Invalid {} {}={}.{}", what, key, value, end_);
  }

  std::string_view value_of(std::string_view name) const {
    for (const auto& [key, value] : settings_)
      if (without_sign(key) == name) return value;
    return {};
  }
  bool given(std::string_view name) const { return !value_of(name).empty(); }
  std::optional<Time> date(std::string_view name) const {
    return given(name) ? parse_date(value_of(name), now_) : std::nullopt;
  }
  bool says_what() const {
    if (given("Nodes") || given("TRES") || given("Licenses") || given("CoreCnt")) return true;
    return given("NodeCnt") && value_of("NodeCnt") != "0";
  }
  bool asks_for_partition() const {
    return std::ranges::any_of(split(value_of("Flags"), ','), [](std::string_view word) {
      return reservation_flag(word) == "PART_NODES";
    });
  }

  const ReservationSettings& settings_;
  std::string_view end_;
  Time now_;
};

}  // namespace

std::optional<ReservationSettings> reservation_settings(Words words) {
  ReservationSettings settings;
  bool names_one = false;
  for (const std::string& word : words) {
    auto equals = word.find('=');
    std::string key = word.substr(0, equals);
    std::string value = equals == word.npos ? "" : word.substr(equals + 1);
    if (is_job_word(key)) return std::nullopt;
    if (is_reservation_word(key)) {
      names_one = true;
      if (equals != word.npos) settings.emplace_back("ReservationName", value);
      continue;
    }
    std::string_view name = without_sign(key);
    const wire::UpdateKey* known = find_key(name);
    const bool is_skip = known && known->name == "Skip";
    if (known && is_skip == (equals == word.npos))
      settings.emplace_back(format("{}{}", known->name, key.substr(name.size())), value);
    else
      settings.emplace_back(key, value);
  }
  if (!names_one) return std::nullopt;
  return settings;
}

std::optional<std::string> problem_in(const ReservationSettings& settings, bool create) {
  Checker checker(settings, create);
  auto problem = checker.each();
  return problem || !create ? problem : checker.whole();
}

}  // namespace muster::cli
