// Setters of keys that need more than their value copied.
#include "config/keys/setters.h"

#include <algorithm>

#include "base/text/duration.h"

namespace muster::config {

Enforced parse_enforced(std::string_view value) {
  Enforced enforced;
  for (std::string_view word : split(value, ',')) {
    word = trim(word);
    const bool all = iequals(word, "all") || word == "1";
    if (all || iequals(word, "limits")) enforced.limits = true;
    if (all || iequals(word, "qos")) enforced.qos = true;
    if (all || iequals(word, "wckeys")) enforced.wckeys = true;
    if (all || iequals(word, "safe")) enforced.limits = enforced.safe = true;
    if (all || iequals(word, "associations")) enforced.associations = true;
  }
  if (enforced.limits || enforced.qos || enforced.wckeys) enforced.associations = true;
  return enforced;
}

void set_enforcement(Settings& s, std::string_view value) {
  const Enforced enforced = parse_enforced(value);
  s.enforce_associations = enforced.associations;
  s.enforce_limits = enforced.limits;
  s.enforce_qos = enforced.qos;
  s.enforce_safe = enforced.safe;
}

void set_part_limits(Settings& s, std::string_view value) {
  const std::string limits = upper(value);
  s.enforce_part_limits = limits == "YES" ? "ALL" : limits;
}

void set_select_parameters(Settings& s, std::string_view value) {
  const std::string words = upper(value);
  auto has = [&](std::string_view part) { return words.find(part) != words.npos; };
  s.memory_is_consumable = has("MEMORY");
  s.use_core_granularity = !has("CR_CPU");
  s.whole_sockets = has("CR_SOCKET");
  s.one_task_per_core = has("CR_ONE_TASK_PER_CORE");
  s.least_loaded = has("CR_LLN");
  s.cores_in_blocks = has("CR_CORE_DEFAULT_DIST_BLOCK");
  s.pack_nodes = has("CR_PACK_NODES");
}

void set_meeting_ports(Settings& s, std::string_view value) {
  const auto dash = value.find('-');
  if (dash == value.npos) return;
  s.first_meeting_port =
      parse_number<std::uint32_t>(value.substr(0, dash)).value_or(s.first_meeting_port);
  s.last_meeting_port =
      parse_number<std::uint32_t>(value.substr(dash + 1)).value_or(s.last_meeting_port);
}

void set_dampening(FairShareSettings& s, std::string_view value) {
  s.dampening = std::max(1u, parse_number<std::uint32_t>(value).value_or(1));
}

void set_usage_reset(FairShareSettings& s, std::string_view value) {
  constexpr std::pair<std::string_view, UsageReset> kPeriods[] = {
      {"NONE", UsageReset::none},       {"NOW", UsageReset::now},
      {"DAILY", UsageReset::daily},     {"WEEKLY", UsageReset::weekly},
      {"MONTHLY", UsageReset::monthly}, {"QUARTERLY", UsageReset::quarterly},
      {"YEARLY", UsageReset::yearly}};
  for (const auto& [name, period] : kPeriods)
    if (iequals(value, name)) s.reset = period;
}

void set_preempt_type(PreemptSettings& s, std::string_view value) {
  if (iequals(value, "preempt/partition_prio")) s.type = PreemptType::partition_priority;
  if (iequals(value, "preempt/qos")) s.type = PreemptType::qos;
}

void set_preempt_mode(PreemptSettings& s, std::string_view value) {
  s.mode = parse_preempt_mode(value).value_or(PreemptMode::off);
  s.gang = has_gang(value);
  s.within = has_within(value);
}

void set_exempt_time(PreemptSettings& s, std::string_view value) {
  s.exempt_time = parse_duration(value).value_or(Seconds{0});
  if (s.exempt_time == Seconds::max()) s.exempt_time = Seconds{0};  // -1 means no such time
}

// "30", "task=30,energy=10"
void set_sampling(NodeSettings& s, std::string_view value) {
  s.sample_every = Seconds{30};
  for (std::string_view part : split(value, ',')) {
    part = trim(part);
    if (istarts_with(part, "task=")) part.remove_prefix(5);
    if (auto seconds = parse_number<std::uint32_t>(part)) {
      s.sample_every = Seconds{*seconds};
      return;
    }
  }
}

}  // namespace muster::config
