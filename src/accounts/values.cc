// See values.h.
#include "accounts/values.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::accounts {

namespace {

using wire::Entity;
using wire::SetHow;

std::unexpected<Note> bad_value(const wire::Setting& setting, std::string expected,
                                Entity entity = Entity::association) {
  return refuse(Problem::bad_value, entity, setting.key, std::move(expected));
}

std::vector<Text> names_in(std::string_view text) {
  std::vector<Text> names;
  for (std::string_view part : split(text, ','))
    if (!trim(part).empty()) names.emplace_back(lower(trim(part)));
  return names;
}

bool is_reset(std::string_view value) { return value.empty() || value == "-1"; }

Outcome<> must_be_set(const wire::Setting& setting) {
  if (setting.how == SetHow::set) return {};
  return bad_value(setting, "=: only lists are changed by += and -=");
}

Outcome<> all_exist(const Site& site, const std::vector<Text>& qos) {
  for (const Text& name : qos)
    if (!find_qos(site, name)) return refuse(Problem::unknown_qos, Entity::qos, name);
  return {};
}

Outcome<> set_fairshare(Association& association, const wire::Setting& setting) {
  association.shares_of_parent = iequals(setting.value, "parent");
  if (association.shares_of_parent || is_reset(setting.value)) {
    association.shares = 1;
    return {};
  }
  auto shares = parse_number<std::uint32_t>(setting.value);
  if (!shares) return bad_value(setting, "a number, or parent");
  association.shares = *shares;
  return {};
}

// += and -= begin with what the association may use now, even where that is inherited.
Outcome<> set_qos_list(const Site& site, const Associations& all, Association& association,
                       const wire::Setting& setting) {
  if (setting.how == SetHow::set && is_reset(setting.value)) {
    association.qos.clear();
    return {};
  }
  if (setting.how != SetHow::remove)
    if (auto ok = all_exist(site, names_in(setting.value)); !ok) return ok;
  association.qos = changed_list(usable_qos(all, association), setting);
  return {};
}

Outcome<> set_default_qos(const Site& site, const Associations& all, Association& association,
                          const wire::Setting& setting) {
  association.default_qos = is_reset(setting.value) ? Text() : Text(lower(setting.value));
  if (association.default_qos.empty()) return {};
  if (auto ok = all_exist(site, {association.default_qos}); !ok) return ok;
  const auto usable = usable_qos(all, association);
  if (!usable.empty() && !std::ranges::binary_search(usable, association.default_qos))
    return bad_value(setting, "a QOS that the association may use");
  return {};
}

Outcome<> set_number(const wire::Setting& setting, std::optional<std::uint32_t>& field) {
  field.reset();
  if (is_reset(setting.value)) return {};
  field = parse_number<std::uint32_t>(setting.value);
  if (!field) return bad_value(setting, "a number, or -1");
  return {};
}

// Limits have the same words and members in associations as in a QOS, where those of one user are
// meant. MaxJobs of an association counts the jobs of that association.
Outcome<> set_limit(Association& association, const wire::Setting& setting) {
  Qos scratch;
  scratch.limits = association.limits;
  auto set = set_qos_value(scratch, setting.key, setting.value.empty() ? "-1" : setting.value);
  if (!set) return bad_value(setting, set.error().detail);
  if (!*set) return refuse(Problem::unknown_key, Entity::association, setting.key);
  association.limits = scratch.limits;
  return {};
}

}  // namespace

std::vector<Text> usable_qos(const Associations& all, const Association& association) {
  if (!association.qos.empty()) return association.qos;
  Text at = account_above(association);
  for (std::size_t steps = 0; steps <= kMaxTreeDepth && !at.empty(); ++steps) {
    auto above = all.find({.account = at, .user = {}, .partition = {}});
    if (above == all.end()) break;
    if (!above->second.association.qos.empty()) return above->second.association.qos;
    at = account_above(above->second.association);
  }
  return {};
}

Outcome<> set_association_value(const Site& site, const Associations& all, Association& association,
                                const wire::Setting& setting) {
  if (iequals(setting.key, "QOS")) return set_qos_list(site, all, association, setting);
  if (auto ok = must_be_set(setting); !ok) return ok;
  if (iequals(setting.key, "Fairshare")) return set_fairshare(association, setting);
  if (iequals(setting.key, "DefaultQOS")) return set_default_qos(site, all, association, setting);
  if (iequals(setting.key, "MinPrioThreshold"))
    return set_number(setting, association.min_priority);
  if (iequals(setting.key, "Priority")) {
    std::optional<std::uint32_t> number;
    if (auto ok = set_number(setting, number); !ok) return ok;
    association.priority = number.value_or(0);
    return {};
  }
  return set_limit(association, setting);
}

std::vector<Text> changed_list(std::vector<Text> list, const wire::Setting& setting) {
  const std::vector<Text> names = names_in(setting.value);
  if (setting.how == SetHow::set) list = names;
  if (setting.how == SetHow::add) list.insert(list.end(), names.begin(), names.end());
  if (setting.how == SetHow::remove)
    std::erase_if(list,
                  [&](const Text& name) { return std::ranges::find(names, name) != names.end(); });
  std::ranges::sort(list);
  list.erase(std::ranges::unique(list).begin(), list.end());
  return list;
}

Outcome<> set_qos_setting(const Site& site, Qos& qos, const wire::Setting& setting) {
  if (iequals(setting.key, "Preempt")) {
    auto list = changed_list(qos.preempts, setting);
    if (setting.how == SetHow::set && is_reset(setting.value)) list.clear();
    if (auto ok = all_exist(site, list); !ok) return ok;
    qos.preempts = std::move(list);
    return {};
  }
  if (iequals(setting.key, "Flags")) {
    if (setting.how == SetHow::set) clear_qos_flags(qos);
    if (is_reset(setting.value)) return {};
    if (auto set = change_qos_flags(qos, setting.value, setting.how != SetHow::remove); !set)
      return bad_value(setting, set.error().detail, Entity::qos);
    return {};
  }
  if (auto ok = must_be_set(setting); !ok) return ok;
  const bool is_text = iequals(setting.key, "Description");
  const std::string_view none = iequals(setting.key, "Priority")      ? "0"
                                : iequals(setting.key, "PreemptMode") ? "cluster"
                                                                      : "-1";
  const bool reset = !is_text && is_reset(setting.value);
  auto set = set_qos_value(qos, setting.key, reset ? none : std::string_view(setting.value));
  if (!set) return bad_value(setting, set.error().detail, Entity::qos);
  if (!*set) return refuse(Problem::unknown_key, Entity::qos, setting.key);
  return {};
}

Outcome<AdminLevel> parse_admin_level(const wire::Setting& setting) {
  for (AdminLevel level : {AdminLevel::none, AdminLevel::operates, AdminLevel::administers})
    if (!setting.value.empty() && istarts_with(admin_level_name(level), setting.value))
      return level;
  return bad_value(setting, "None, Operator or Administrator", Entity::user);
}

std::string_view admin_level_name(AdminLevel level) {
  switch (level) {
    case AdminLevel::none:
      return "None";
    case AdminLevel::operates:
      return "Operator";
    case AdminLevel::administers:
      return "Administrator";
  }
  return {};
}

Outcome<> check_raw_usage(Entity entity, const wire::Setting& setting) {
  if (setting.value == "0") return {};
  return bad_value(setting, "0", entity);
}

}  // namespace muster::accounts
