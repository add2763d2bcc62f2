// See words.h.
#include "accounts/words.h"

#include <algorithm>
#include <array>

#include "base/text/strings.h"

namespace muster::accounts {

namespace {

using wire::Entity;
using Words = std::span<const std::string_view>;

// Limits of associations and what else each of them may have.
constexpr std::string_view kAssociation[] = {"Fairshare",
                                             "GrpJobs",
                                             "GrpJobsAccrue",
                                             "GrpSubmitJobs",
                                             "GrpTRES",
                                             "GrpTRESMins",
                                             "GrpTRESRunMins",
                                             "GrpWall",
                                             "MaxJobs",
                                             "MaxJobsAccrue",
                                             "MaxSubmitJobs",
                                             "MaxTRESPerJob",
                                             "MaxTRESPerNode",
                                             "MaxTRESMinsPerJob",
                                             "MaxWallDurationPerJob",
                                             "MinPrioThreshold",
                                             "Priority",
                                             "DefaultQOS",
                                             "QOS",
                                             "RawUsage"};
constexpr std::string_view kOfCluster[] = {"Classification", "Features"};
constexpr std::string_view kOfAccount[] = {"Description", "Organization", "Parent"};
constexpr std::string_view kOfUser[] = {"AdminLevel", "DefaultAccount", "DefaultWCKey", "WCKey"};
constexpr std::string_view kOfQos[] = {"Description",
                                       "Flags",
                                       "GraceTime",
                                       "LimitFactor",
                                       "Preempt",
                                       "PreemptMode",
                                       "PreemptExemptTime",
                                       "Priority",
                                       "UsageFactor",
                                       "UsageThreshold",
                                       "MinPrioThreshold",
                                       "RawUsage",
                                       "GrpJobs",
                                       "GrpJobsAccrue",
                                       "GrpSubmitJobs",
                                       "GrpTRES",
                                       "GrpTRESMins",
                                       "GrpTRESRunMins",
                                       "GrpWall",
                                       "MaxTRESPerJob",
                                       "MaxTRESPerNode",
                                       "MaxTRESMinsPerJob",
                                       "MaxWallDurationPerJob",
                                       "MinTRESPerJob",
                                       "MaxJobsPerUser",
                                       "MaxJobsPerAccount",
                                       "MaxJobsAccruePerUser",
                                       "MaxJobsAccruePerAccount",
                                       "MaxSubmitJobsPerUser",
                                       "MaxSubmitJobsPerAccount",
                                       "MaxTRESPerUser",
                                       "MaxTRESPerAccount"};
constexpr std::string_view kOfResource[] = {"Description", "Count", "Flags",
                                            "ServerType",  "Type",  "PercentAllowed"};

struct EntityWords {
  Entity entity;
  Words conditions, settings;
  bool has_association_settings = false;
};

constexpr std::string_view kWhichCluster[] = {"Name", "Classification", "ID"};
constexpr std::string_view kWhichAccount[] = {"Name", "Cluster", "Description", "Organization",
                                              "Parent"};
constexpr std::string_view kWhichUser[] = {"Name",         "Account",    "Cluster",
                                           "Partition",    "AdminLevel", "DefaultAccount",
                                           "DefaultWCKey", "WCKey"};
constexpr std::string_view kWhichCoordinator[] = {"Name", "Account"};
constexpr std::string_view kWhichAssociation[] = {"ID",        "Account", "User", "Cluster",
                                                  "Partition", "Parent",  "QOS",  "DefaultQOS"};
constexpr std::string_view kWhichQos[] = {"Name", "ID", "Description", "PreemptMode"};
constexpr std::string_view kWhichTres[] = {"ID", "Type", "Name"};
constexpr std::string_view kWhichWckey[] = {"Name", "User", "Cluster", "ID"};
constexpr std::string_view kWhichResource[] = {"Name", "Server", "Cluster", "ID"};
constexpr std::string_view kWhichTransaction[] = {"Action",  "Actor", "Account",
                                                  "Cluster", "User",  "ID"};
constexpr std::string_view kWhichProblem[] = {"Account", "User", "Cluster"};
constexpr std::string_view kWhichEvent[] = {"Cluster", "Node",      "State",   "Reason", "User",
                                            "Event",   "CondFlags", "MinCPUs", "MaxCPUs"};
constexpr std::string_view kWhichReservation[] = {"Cluster", "Name", "ID", "Node"};
constexpr std::string_view kOnCluster[] = {"Cluster"};

constexpr EntityWords kEntities[] = {
    {Entity::cluster, kWhichCluster, kOfCluster, true},
    {Entity::account, kWhichAccount, kOfAccount, true},
    {Entity::user, kWhichUser, kOfUser, true},
    {Entity::coordinator, kWhichCoordinator, {}},
    {Entity::association, kWhichAssociation, {}},
    {Entity::qos, kWhichQos, kOfQos},
    {Entity::tres, kWhichTres, {}},
    {Entity::wckey, kWhichWckey, {}},
    {Entity::resource, kWhichResource, kOfResource},
    {Entity::transaction, kWhichTransaction, {}},
    {Entity::problem, kWhichProblem, {}},
    {Entity::event, kWhichEvent, {}},
    {Entity::reservation, kWhichReservation, {}},
    {Entity::runaway_job, kOnCluster, {}},
    {Entity::usage, kOnCluster, {}},
};

const EntityWords* words_of(Entity entity) {
  auto at = std::ranges::find(kEntities, entity, &EntityWords::entity);
  return at == std::end(kEntities) ? nullptr : at;
}

bool contains(Words words, std::string_view key) {
  return std::ranges::any_of(words, [&](std::string_view word) { return iequals(word, key); });
}

bool can_be_a_name(std::string_view name) {
  return name.size() <= kMaxNameBytes && std::ranges::all_of(name, [](char c) {
           return static_cast<unsigned char>(c) >= ' ' && c != '\x7f' && c != ',' && c != '=' &&
                  c != '|';
         });
}

bool can_be_a_value(std::string_view value) {
  return value.size() <= kMaxValueBytes && std::ranges::none_of(value, [](char c) {
           return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
         });
}

Outcome<> check_condition(Entity entity, Words known, const wire::Condition& condition) {
  if (!contains(known, condition.key)) return refuse(Problem::unknown_key, entity, condition.key);
  if (condition.values.size() > kMaxNames)
    return refuse(Problem::too_many, entity, condition.key, std::to_string(kMaxNames));
  for (const Text& value : condition.values)
    if (!can_be_a_name(value))
      return refuse(Problem::bad_value, entity, condition.key,
                    "names of printable characters without ',', '=' and '|'");
  return {};
}

}  // namespace

Words conditions_of(Entity entity) {
  const EntityWords* words = words_of(entity);
  return words ? words->conditions : Words{};
}

Words settings_of(Entity entity) {
  const EntityWords* words = words_of(entity);
  return words ? words->settings : Words{};
}

bool is_association_setting(std::string_view key) { return contains(kAssociation, key); }

Outcome<> check_words(const wire::AccountsRequest& request) {
  const EntityWords* words = words_of(request.entity);
  if (!words) return refuse(Problem::not_supported, request.entity);
  if (request.where.size() + request.settings.size() > kMaxWords)
    return refuse(Problem::too_many, request.entity, {}, std::to_string(kMaxWords));
  for (const wire::Condition& condition : request.where)
    if (auto ok = check_condition(request.entity, words->conditions, condition); !ok) return ok;
  for (const wire::Setting& setting : request.settings) {
    const bool known = contains(words->settings, setting.key) ||
                       (words->has_association_settings && is_association_setting(setting.key));
    if (!known) return refuse(Problem::unknown_key, request.entity, setting.key);
    if (!can_be_a_value(setting.value))
      return refuse(Problem::bad_value, request.entity, setting.key, "printable characters");
  }
  return {};
}

bool Where::has(std::string_view key) const {
  return std::ranges::any_of(conditions_, [&](const wire::Condition& condition) {
    return iequals(condition.key, key) && !condition.values.empty();
  });
}

std::vector<Text> Where::names(std::string_view key) const {
  std::vector<Text> names;
  std::set<Text> seen;
  for (const wire::Condition& condition : conditions_)
    if (iequals(condition.key, key))
      for (const Text& value : condition.values)
        if (Text name = lower(value); seen.insert(name).second) names.push_back(std::move(name));
  return names;
}

bool Where::allows(std::string_view key, std::string_view value) const {
  bool allowed = true;
  for (const wire::Condition& condition : conditions_)
    if (iequals(condition.key, key) && !condition.values.empty())
      allowed = allowed && std::ranges::any_of(condition.values, [&](const Text& wanted) {
                  return iequals(wanted, value);
                });
  return allowed;
}

bool Where::allows_any(std::string_view key, const std::vector<Text>& values) const {
  return !has(key) ||
         std::ranges::any_of(values, [&](const Text& value) { return allows(key, value); });
}

const wire::Setting* find_setting(const wire::AccountsRequest& request, std::string_view key) {
  const wire::Setting* last = nullptr;
  for (const wire::Setting& setting : request.settings)
    if (iequals(setting.key, key)) last = &setting;
  return last;
}

}  // namespace muster::accounts
