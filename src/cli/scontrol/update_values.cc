// Checks values of scontrol update, with error messages that scripts know.
#include <algorithm>
#include <array>
#include <chrono>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/scontrol/update_values.h"
#include "model/job/mail_type.h"

namespace muster::cli {

namespace {

using wire::UpdateKey;
using Needed = wire::UpdateValue;

bool is_count(std::string_view value) { return parse_number<std::uint32_t>(value).has_value(); }

// The name of a key in error messages.
std::string_view shown_name(const UpdateKey& key) {
  return key.called.empty() ? key.name : key.called;
}

bool is_time_limit_change(std::string_view value) {
  if ((value.starts_with('+') || value.starts_with('-')) && value != "-1") value.remove_prefix(1);
  return parse_time_limit(value).has_value();
}

// For jobs and steps.
std::optional<UpdateRefusal> check_job_value(std::string_view value, const UpdateKey& key) {
  auto invalid = [&]() -> std::optional<UpdateRefusal> {
    return fmt::format("scontrol: error: Invalid {} value: {}", shown_name(key), value);
  };
  const bool given = !value.empty();
  switch (key.value) {
    case Needed::time_limit_change:
      if (is_time_limit_change(value)) break;
      return fmt::format("scontrol: error: Invalid {} value", key.name);
    case Needed::time_limit:
      if (parse_time_limit(value)) break;
      return fmt::format("scontrol: error: Invalid {} value", key.name);
    case Needed::duration:
      if (parse_duration(value)) break;
      return fmt::format("scontrol: error: Invalid {} value", key.name);
    case Needed::date:
      if (parse_date(value, std::chrono::floor<Seconds>(std::chrono::system_clock::now()))) break;
      return fmt::format("Invalid time specification (pos=0): {}\nNo changes specified", value);
    case Needed::priority:
      if (is_count(value) || value == "-1" || iequals(value, "INFINITE")) break;
      return invalid();
    case Needed::site_factor: {
      constexpr std::int64_t kMost = 2147483645;
      const auto factor = parse_number<std::int64_t>(value);
      if (!factor || (*factor <= kMost && *factor >= -kMost)) break;
      return fmt::format("scontrol: error: SiteFactor value out of range (+/- {}). Value ignored",
                         kMost);
    }
    case Needed::mail_types:
      if (parse_mail_types(value)) break;
      return fmt::format("Invalid MailType: {}", value);
    case Needed::count:
      return given && !is_count(value) ? invalid() : std::nullopt;
    case Needed::count_or_unset:
      return given && !is_count(value) && value != "-1" ? invalid() : std::nullopt;
    case Needed::memory:
      return given && !parse_mib(value) ? invalid() : std::nullopt;
    case Needed::yes_no:
      return given && !wire::parse_yes_no(value) ? invalid() : std::nullopt;
    default:
      break;
  }
  return std::nullopt;
}

std::optional<UpdateRefusal> check_node_state(const UpdateSetting& setting, bool has_reason) {
  // The last ones are known, but refused by the controller.
  static constexpr std::array<std::string_view, 16> kStates{
      "NoResp",           "DRAIN",     "FAIL",  "FUTURE", "RESUME",        "POWER_DOWN",
      "POWER_UP",         "UNDRAIN",   "DOWN",  "IDLE",   "CANCEL_REBOOT", "POWER_DOWN_ASAP",
      "POWER_DOWN_FORCE", "ALLOCATED", "MIXED", "UNKNOWN"};
  std::string_view state = setting.value;
  bool known = std::ranges::any_of(kStates, [&](std::string_view name) {
    return iequals(state, name) || (state.size() >= 3 && istarts_with(name, state));
  });
  if (!known)
    return fmt::format(
        "Invalid input: {}\nRequest aborted\n"
        "Valid states are: NoResp DRAIN FAIL FUTURE RESUME POWER_DOWN POWER_UP UNDRAIN\n"
        "Not all states are valid given a node's prior state",
        setting.word);
  bool takes_out =
      state.size() >= 2 &&
      (istarts_with("DOWN", state) || istarts_with("DRAIN", state) || istarts_with("FAIL", state));
  if (takes_out && !has_reason)
    return "You must specify a reason when DOWNING or DRAINING a node. Request denied";
  return std::nullopt;
}

std::optional<UpdateRefusal> check_weight(std::string_view weight) {
  const auto number = parse_number<std::int64_t>(weight);
  if (number && *number >= 0) return std::nullopt;
  return fmt::format("scontrol: error: Weight value ({}) is {}\nNo changes specified", weight,
                     number ? "less than zero" : "not a valid number");
}

bool is_unlimited(std::string_view value) {
  return iequals(value, "UNLIMITED") || iequals(value, "INFINITE");
}

bool is_partition_state(std::string_view value) {
  static constexpr std::array<std::string_view, 4> kStates{"UP", "DOWN", "DRAIN", "INACTIVE"};
  return value.size() >= 2 && std::ranges::any_of(kStates, [&](std::string_view state) {
           return istarts_with(state, value);
         });
}

// Names the number that is invalid.
std::string invalid_number(std::string_view value, const UpdateKey& key) {
  if (key.name == "MaxNodes")
    return fmt::format("scontrol: error: Invalid numeric value \"{}\" for MaxNodes.", value);
  if (key.value == Needed::node_count)
    return fmt::format("scontrol: error: \"{}\" is not a valid node count", value);
  return fmt::format("scontrol: error: Invalid {} value: {}", key.name, value);
}

bool suits_partition(std::string_view value, const UpdateKey& key) {
  switch (key.value) {
    case Needed::flag:
      return iequals(value, "YES") || iequals(value, "NO");
    case Needed::partition_state:
      return is_partition_state(value);
    case Needed::sharing:
      return parse_oversubscribe(value).has_value();
    case Needed::time_limit:
      return parse_time_limit(value).has_value();
    case Needed::preempt_mode:
      return parse_preempt_mode(value).has_value();
    case Needed::count:
      return is_count(value);
    case Needed::count_or_infinite:
      return is_count(value) || is_unlimited(value);
    case Needed::node_count:
      return is_count(value.substr(0, value.find('-')));
    default:
      return true;
  }
}

std::optional<UpdateRefusal> check_partition_value(const UpdateSetting& setting,
                                                   const UpdateKey& key) {
  if (suits_partition(setting.value, key)) return std::nullopt;
  // Lists the acceptable words, if there are only a few.
  auto refuse = [&](std::string_view acceptable) {
    return fmt::format(
        "scontrol: error: Invalid input: {}\nscontrol: error: Acceptable {} values are {}",
        setting.word, shown_name(key), acceptable);
  };
  switch (key.value) {
    case Needed::flag:
      return refuse("YES and NO");
    case Needed::partition_state:
      return refuse("UP, DOWN, DRAIN and INACTIVE");
    case Needed::sharing:
      return refuse("NO, EXCLUSIVE, YES:#, and FORCE:#");
    case Needed::time_limit:
      return fmt::format("scontrol: error: Invalid input {}", setting.word);
    case Needed::preempt_mode:
      return fmt::format("scontrol: error: Invalid input: {}", setting.word);
    default:
      return invalid_number(setting.value, key);
  }
}

}  // namespace

std::optional<UpdateRefusal> check_update_value(wire::UpdateRequest::Kind kind,
                                                const UpdateSetting& setting, const UpdateKey& key,
                                                bool has_reason) {
  using Kind = wire::UpdateRequest::Kind;
  if (kind == Kind::job || kind == Kind::step) return check_job_value(setting.value, key);
  if (key.value == Needed::node_state) return check_node_state(setting, has_reason);
  if (key.value == Needed::weight) return check_weight(setting.value);
  if (kind == Kind::partition) return check_partition_value(setting, key);
  return std::nullopt;
}

}  // namespace muster::cli
