// Values of scontrol update that the client refuses itself, in the words that scripts know.
#include <algorithm>
#include <array>
#include <chrono>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/scontrol/update_keys.h"
#include "model/job/mail_type.h"

namespace muster::cli {

namespace {

bool is_any_of(std::string_view key, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, key) != names.end();
}
bool is_count(std::string_view value) { return parse_number<std::uint32_t>(value).has_value(); }

// Keys of a job that take a number or a word of two; the reference names some of them otherwise.
std::optional<std::string_view> name_of_bad_value(std::string_view key, std::string_view value) {
  if (is_any_of(key, {"CoreSpec", "CPUsPerTask", "MinCPUsNode", "NumTasks", "ReqCores",
                      "ReqSockets", "ReqThreads", "Requeue", "TasksPerNode", "ThreadSpec"}) &&
      !is_count(value) && !(key == "CoreSpec" && value == "-1"))
    return key;
  if (key == "ReqProcs" && !is_count(value)) return "NumTasks";
  if (key == "Wait-for-switch" && !is_count(value)) return "wait-for-switch";
  if (is_any_of(key, {"MinMemoryCPU", "MinMemoryNode", "MinTmpDiskNode"}) && !parse_mib(value))
    return key;
  const bool is_yes_or_no =
      istarts_with("yes", value) || istarts_with("no", value) || is_count(value);
  if (key == "Contiguous" && !is_yes_or_no) return key;
  if (key == "Reboot" && !is_yes_or_no) return "reboot";
  if (is_any_of(key, {"OverSubscribe", "Shared"}) && !is_yes_or_no) return "OverSubscribe";
  return std::nullopt;
}

std::optional<UpdateRefusal> check_job_value(const UpdateSetting& setting, std::string_view key) {
  const std::string_view value = setting.value;
  if (key == "TimeLimit") {
    std::string_view limit = value;
    if (limit.starts_with('+') || limit.starts_with('-'))
      limit.remove_prefix(limit == "-1" ? 0 : 1);
    if (!parse_time_limit(limit)) return "scontrol: error: Invalid TimeLimit value";
  }
  if (key == "TimeMin" && !parse_time_limit(value)) return "scontrol: error: Invalid TimeMin value";
  if (key == "DelayBoot" && !parse_duration(value))
    return "scontrol: error: Invalid DelayBoot value";
  if (is_any_of(key, {"StartTime", "EligibleTime", "Deadline"}) &&
      !parse_date(value, std::chrono::floor<Seconds>(std::chrono::system_clock::now())))
    return fmt::format("Invalid time specification (pos=0): {}\nNo changes specified", value);
  if (key == "Priority" && !is_count(value) && value != "-1" && !iequals(value, "INFINITE"))
    return fmt::format("scontrol: error: Invalid Priority value: {}", value);
  if (key == "SiteFactor") {
    constexpr std::int64_t kMost = 2147483645;
    const auto factor = parse_number<std::int64_t>(value);
    if (factor && (*factor > kMost || *factor < -kMost))
      return fmt::format("scontrol: error: SiteFactor value out of range (+/- {}). Value ignored",
                         kMost);
  }
  if (key == "MailType" && !parse_mail_types(value))
    return fmt::format("Invalid MailType: {}", value);
  if (value.empty()) return std::nullopt;
  if (auto name = name_of_bad_value(key, value))
    return fmt::format("scontrol: error: Invalid {} value: {}", *name, value);
  return std::nullopt;
}

std::optional<UpdateRefusal> check_node_state(const UpdateSetting& setting, bool has_reason) {
  // The last ones are known, and refused by the controller.
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

std::optional<UpdateRefusal> check_partition_number(std::string_view value, std::string_view key) {
  auto invalid = [&] { return fmt::format("scontrol: error: Invalid {} value: {}", key, value); };
  if (is_any_of(key, {"DefMemPerCPU", "DefMemPerNode", "MaxMemPerCPU", "MaxMemPerNode", "GraceTime",
                      "Priority", "PriorityTier", "PriorityJobFactor"}))
    return is_count(value) ? std::nullopt : std::optional(invalid());
  if (is_any_of(key, {"MaxCPUsPerNode", "OverTimeLimit"}))
    return is_count(value) || is_unlimited(value) ? std::nullopt : std::optional(invalid());
  if (key == "MaxNodes" && !is_count(value) && !is_unlimited(value))
    return fmt::format("scontrol: error: Invalid numeric value \"{}\" for MaxNodes.", value);
  if (key == "MinNodes" && !is_count(value.substr(0, value.find('-'))))
    return fmt::format("scontrol: error: \"{}\" is not a valid node count", value);
  return std::nullopt;
}

bool is_partition_state(std::string_view value) {
  static constexpr std::array<std::string_view, 4> kStates{"UP", "DOWN", "DRAIN", "INACTIVE"};
  return value.size() >= 2 && std::ranges::any_of(kStates, [&](std::string_view state) {
           return istarts_with(state, value);
         });
}

std::optional<UpdateRefusal> check_partition_value(const UpdateSetting& setting,
                                                   std::string_view key) {
  std::string_view value = setting.value;
  // The words that would do, where there are only some.
  auto refuse = [&](std::string_view name, std::string_view acceptable) {
    return fmt::format(
        "scontrol: error: Invalid input: {}\nscontrol: error: Acceptable {} values are {}",
        setting.word, name, acceptable);
  };
  if (is_any_of(key, {"Default", "DisableRootJobs", "ExclusiveUser", "Hidden", "LLN", "ReqResv",
                      "RootOnly"}) &&
      !iequals(value, "YES") && !iequals(value, "NO"))
    return refuse(key, "YES and NO");
  if (key == "State" && !is_partition_state(value))
    return refuse(key, "UP, DOWN, DRAIN and INACTIVE");
  if (is_any_of(key, {"OverSubscribe", "Shared"}) && !parse_oversubscribe(value))
    return refuse("OverSubscribe", "NO, EXCLUSIVE, YES:#, and FORCE:#");
  if (is_any_of(key, {"MaxTime", "DefaultTime"}) && !parse_time_limit(value))
    return fmt::format("scontrol: error: Invalid input {}", setting.word);
  if (key == "PreemptMode" && !parse_preempt_mode(value))
    return fmt::format("scontrol: error: Invalid input: {}", setting.word);
  return check_partition_number(value, key);
}

}  // namespace

std::optional<UpdateRefusal> check_update_value(wire::UpdateRequest::Kind kind,
                                                const UpdateSetting& setting, std::string_view key,
                                                bool has_reason) {
  using Kind = wire::UpdateRequest::Kind;
  if (kind == Kind::job || kind == Kind::step) return check_job_value(setting, key);
  if (kind == Kind::node && key == "State") return check_node_state(setting, has_reason);
  if (kind == Kind::node && key == "Weight") return check_weight(setting.value);
  if (kind == Kind::partition) return check_partition_value(setting, key);
  return std::nullopt;
}

}  // namespace muster::cli
