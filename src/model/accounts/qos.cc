// The keys of a QOS and how their values are written.
#include "model/accounts/qos.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/text/duration.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "model/node/partition.h"

namespace muster {

namespace {

using Setter = Result<void> (*)(Qos&, std::string_view value);

// The members that keys set, grouped by the form of the value.
template <auto... Path, class T>
auto& member(T& object) {
  if constexpr (sizeof...(Path) == 0)
    return object;
  else
    return [&]<auto First, auto... Rest>() -> auto& {
      return member<Rest...>(object.*First);
    }.template operator()<Path...>();
}

template <auto... Path>
Result<void> count(Qos& qos, std::string_view value) {
  auto& field = member<Path...>(qos);
  if (value == "-1") {
    field.reset();
    return {};
  }
  auto number = parse_number<std::uint32_t>(value);
  if (!number) return fail("a number, or -1 for no limit");
  field = number;
  return {};
}

// The older keys name one resource each: MaxCPUs=8 is MaxTRES=cpu=8.
void put(TresAmounts& amounts, std::string_view name, std::optional<std::uint64_t> amount) {
  std::erase_if(amounts, [&](const auto& a) { return a.first == name; });
  if (amount) amounts.emplace_back(Text(name), *amount);
  std::ranges::sort(amounts);
}

// What is not named keeps its amount; an empty value or -1 takes all limits away.
template <auto... Path>
Result<void> tres(Qos& qos, std::string_view value) {
  auto& field = member<Path...>(qos);
  if (value.empty() || value == "-1") {
    field.clear();
    return {};
  }
  TresAmounts merged = field;
  if (auto ok = merge_tres_amounts(merged, value); !ok) return ok;
  field = std::move(merged);
  return {};
}

constexpr char kCpu[] = "cpu", kMemory[] = "mem", kNode[] = "node";

template <const char* Name, auto... Path>
Result<void> one(Qos& qos, std::string_view value) {
  return merge_tres_amounts(member<Path...>(qos), std::string(Name).append("=").append(value));
}

Result<void> grace_time(Qos& qos, std::string_view value) {
  auto plain = parse_number<std::uint32_t>(value);
  auto span = plain ? std::optional(Seconds{*plain}) : parse_duration(value);
  if (!span) return fail("seconds, hours:minutes:seconds or days-hours");
  qos.grace_time = *span;
  return {};
}

// -1 resets it to the cluster's value.
Result<void> exempt_time(Qos& qos, std::string_view value) {
  qos.exempt_time.reset();
  if (value == "-1") return {};
  qos.exempt_time = parse_duration(value);
  if (!qos.exempt_time) return fail("minutes, hours:minutes:seconds or days-hours, or -1");
  return {};
}

template <auto... Path>
Result<void> wall(Qos& qos, std::string_view value) {
  auto limit = parse_time_limit(value);
  if (!limit) return fail("minutes, hours:minutes:seconds or days-hours");
  member<Path...>(qos) = *limit == kUnlimited ? std::nullopt : limit;
  return {};
}

std::optional<double> parse_factor(std::string_view text) {
  double number = 0;
  auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || rest != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// -1 resets it to the default.
template <auto Member>
Result<void> factor(Qos& qos, std::string_view value) {
  qos.*Member = Qos{}.*Member;
  if (value == "-1") return {};
  auto parsed = parse_factor(value);
  if (!parsed) return fail("a number such as 0.5, or -1");
  const double number = *parsed;
  qos.*Member = number;
  return {};
}

Result<void> priority(Qos& qos, std::string_view value) {
  auto number = parse_number<std::uint32_t>(value);
  if (!number) return fail("a number");
  qos.priority = *number;
  return {};
}

Result<void> description(Qos& qos, std::string_view value) {
  qos.description = Text(value);
  return {};
}

Result<void> preempts(Qos& qos, std::string_view value) {
  qos.preempts.clear();
  for (std::string_view name : split(value, ','))
    if (!trim(name).empty()) qos.preempts.emplace_back(trim(name));
  return {};
}

Result<void> preempt_mode(Qos& qos, std::string_view value) {
  const bool as_cluster = iequals(value, "cluster");
  if (!as_cluster && !parse_preempt_mode(value))
    return fail("Cluster, or one of Off, Cancel, Requeue and Suspend, and Within");
  qos.preempt_mode = as_cluster ? Text() : Text(value);
  return {};
}

struct Flag {
  std::string_view name;
  bool Qos::* member;
};
// In the order in which they are shown.
constexpr Flag kFlags[] = {
    {"DenyOnLimit", &Qos::deny_on_limit},
    {"EnforceUsageThreshold", &Qos::enforce_usage_threshold},
    {"NoReserve", &Qos::no_promise},
    {"PartitionMaxNodes", &Qos::over_max_nodes},
    {"PartitionMinNodes", &Qos::over_min_nodes},
    {"OverPartQOS", &Qos::over_partition},
    {"PartitionTimeLimit", &Qos::over_max_time},
    {"RequiresReservation", &Qos::needs_reservation},
    {"NoDecay", &Qos::no_decay},
    {"UsageFactorSafe", &Qos::usage_factor_safe},
};

Result<void> flags(Qos& qos, std::string_view value) { return change_qos_flags(qos, value, true); }

struct Key {
  std::string_view name;
  Setter set;
};

constexpr auto kLimits = &Qos::limits;
constexpr auto kGroup = &Limits::group;
constexpr auto kUser = &Limits::per_user;
constexpr auto kAccount = &Limits::per_account;

constexpr Key kKeys[] = {
    {"Priority", priority},
    {"Description", description},
    {"Flags", flags},
    {"GraceTime", grace_time},
    {"Preempt", preempts},
    {"PreemptMode", preempt_mode},
    {"PreemptExemptTime", exempt_time},
    {"MaxWall", wall<kLimits, &Limits::max_wall>},
    {"MaxWallDurationPerJob", wall<kLimits, &Limits::max_wall>},
    {"MinPrioThreshold", count<&Qos::min_priority>},
    {"GrpJobs", count<kLimits, kGroup, &SharedLimits::jobs>},
    {"GrpJobsAccrue", count<kLimits, kGroup, &SharedLimits::accruing>},
    {"GrpSubmit", count<kLimits, kGroup, &SharedLimits::submitted>},
    {"GrpSubmitJobs", count<kLimits, kGroup, &SharedLimits::submitted>},
    {"GrpTRES", tres<kLimits, kGroup, &SharedLimits::tres>},
    {"GrpTRESRunMins", tres<kLimits, kGroup, &SharedLimits::run_minutes>},
    {"GrpCPUs", one<kCpu, kLimits, kGroup, &SharedLimits::tres>},
    {"GrpCPURunMins", one<kCpu, kLimits, kGroup, &SharedLimits::run_minutes>},
    {"GrpMem", one<kMemory, kLimits, kGroup, &SharedLimits::tres>},
    {"GrpNodes", one<kNode, kLimits, kGroup, &SharedLimits::tres>},
    {"MaxJobs", count<kLimits, kUser, &SharedLimits::jobs>},
    {"MaxJobsPerUser", count<kLimits, kUser, &SharedLimits::jobs>},
    {"MaxJobsPU", count<kLimits, kUser, &SharedLimits::jobs>},
    {"MaxJobsPerAccount", count<kLimits, kAccount, &SharedLimits::jobs>},
    {"MaxJobsPA", count<kLimits, kAccount, &SharedLimits::jobs>},
    {"MaxJobsAccrue", count<kLimits, kUser, &SharedLimits::accruing>},
    {"MaxJobsAccruePerUser", count<kLimits, kUser, &SharedLimits::accruing>},
    {"MaxJobsAccruePU", count<kLimits, kUser, &SharedLimits::accruing>},
    {"MaxJobsAccruePerAccount", count<kLimits, kAccount, &SharedLimits::accruing>},
    {"MaxJobsAccruePA", count<kLimits, kAccount, &SharedLimits::accruing>},
    {"MaxSubmit", count<kLimits, kUser, &SharedLimits::submitted>},
    {"MaxSubmitJobs", count<kLimits, kUser, &SharedLimits::submitted>},
    {"MaxSubmitJobsPerUser", count<kLimits, kUser, &SharedLimits::submitted>},
    {"MaxSubmitPU", count<kLimits, kUser, &SharedLimits::submitted>},
    {"MaxSubmitJobsPerAccount", count<kLimits, kAccount, &SharedLimits::submitted>},
    {"MaxSubmitPA", count<kLimits, kAccount, &SharedLimits::submitted>},
    {"MaxTRESPerUser", tres<kLimits, kUser, &SharedLimits::tres>},
    {"MaxTRESPU", tres<kLimits, kUser, &SharedLimits::tres>},
    {"MaxCPUsPerUser", one<kCpu, kLimits, kUser, &SharedLimits::tres>},
    {"MaxNodesPerUser", one<kNode, kLimits, kUser, &SharedLimits::tres>},
    {"MaxTRESPerAccount", tres<kLimits, kAccount, &SharedLimits::tres>},
    {"MaxTRESPA", tres<kLimits, kAccount, &SharedLimits::tres>},
    {"MaxTRES", tres<kLimits, &Limits::max_per_job>},
    {"MaxTRESPerJob", tres<kLimits, &Limits::max_per_job>},
    {"MaxTRESPJ", tres<kLimits, &Limits::max_per_job>},
    {"MaxCPUs", one<kCpu, kLimits, &Limits::max_per_job>},
    {"MaxNodes", one<kNode, kLimits, &Limits::max_per_job>},
    {"MaxTRESPerNode", tres<kLimits, &Limits::max_per_node>},
    {"MaxTRESPN", tres<kLimits, &Limits::max_per_node>},
    {"MaxTRESMins", tres<kLimits, &Limits::max_minutes_per_job>},
    {"MaxTRESMinsPerJob", tres<kLimits, &Limits::max_minutes_per_job>},
    {"MaxCPUMins", one<kCpu, kLimits, &Limits::max_minutes_per_job>},
    {"MinTRES", tres<kLimits, &Limits::min_per_job>},
    {"MinTRESPerJob", tres<kLimits, &Limits::min_per_job>},
    {"GrpTRESMins", tres<kLimits, kGroup, &SharedLimits::past_minutes>},
    {"GrpCPUMins", one<kCpu, kLimits, kGroup, &SharedLimits::past_minutes>},
    {"GrpWall", wall<kLimits, kGroup, &SharedLimits::wall>},
    {"LimitFactor", factor<&Qos::limit_factor>},
    {"UsageFactor", factor<&Qos::usage_factor>},
    {"UsageThreshold", factor<&Qos::usage_threshold>},
};

}  // namespace

Result<void> merge_tres_amounts(TresAmounts& amounts, std::string_view text) {
  for (std::string_view part : split(text, ',')) {
    auto equals = part.find('=');
    std::string_view name = trim(part.substr(0, equals));
    std::string_view value = equals == part.npos ? "" : trim(part.substr(equals + 1));
    bool known = name == "cpu" || name == "mem" || name == "node" || name == "billing" ||
                 name == "energy" || name.starts_with("gres/") || name.starts_with("license/") ||
                 name.starts_with("fs/") || name.starts_with("bb/");
    if (!known) return fail("resources and amounts such as cpu=8,mem=64G,node=2,gres/gpu=4");
    if (value == "-1") {
      put(amounts, name, std::nullopt);
      continue;
    }
    auto amount = name == "mem" ? parse_mib(value) : parse_count(value);
    if (!amount) return fail("resources and amounts such as cpu=8,mem=64G,node=2,gres/gpu=4");
    put(amounts, name, amount);
  }
  return {};
}

Result<void> change_qos_flags(Qos& qos, std::string_view words, bool on) {
  for (std::string_view word : split(words, ',')) {
    auto known = std::ranges::find_if(
        kFlags, [&](const Flag& flag) { return iequals(flag.name, trim(word)); });
    if (known == std::end(kFlags)) return fail("flags of a QOS such as DenyOnLimit, OverPartQOS");
    qos.*known->member = on;
  }
  return {};
}

void clear_qos_flags(Qos& qos) {
  for (const Flag& flag : kFlags) qos.*flag.member = false;
}

std::vector<std::string_view> qos_flags(const Qos& qos) {
  std::vector<std::string_view> names;
  for (const Flag& flag : kFlags)
    if (qos.*flag.member) names.push_back(flag.name);
  return names;
}

std::optional<std::uint64_t> amount_of(const TresAmounts& amounts, std::string_view name) {
  for (const auto& [known, amount] : amounts)
    if (known == name) return amount;
  return std::nullopt;
}

Result<bool> set_qos_value(Qos& qos, std::string_view key, std::string_view value) {
  auto found = std::ranges::find_if(kKeys, [&](const Key& k) { return iequals(k.name, key); });
  if (found == std::end(kKeys)) return false;
  if (auto set = found->set(qos, value); !set) return std::unexpected(set.error());
  return true;
}

}  // namespace muster
