// The tables of words. Where a word may stand for several, the first row wins.
#include "cli/sacctmgr/words.h"

#include <algorithm>
#include <array>

#include "base/text/strings.h"

namespace muster::cli {

namespace {

using wire::Entity;
using K = ValueKind;
using F = ShowFlag;

struct CommandWord {
  std::string_view word;
  std::uint8_t least = 1;
  SiteCommand command = SiteCommand::none;
};

// clang-format off
constexpr CommandWord kCommands[] = {
    {"associations", 3, SiteCommand::associations},
    {"add", 3, SiteCommand::add},            {"create", 3, SiteCommand::add},
    {"archive", 3, SiteCommand::archive},    {"clear", 3, SiteCommand::clear},
    {"delete", 3, SiteCommand::remove},      {"remove", 3, SiteCommand::remove},
    {"dump", 3, SiteCommand::dump},          {"help", 2, SiteCommand::help},
    {"list", 3, SiteCommand::show},          {"show", 3, SiteCommand::show},
    {"load", 2, SiteCommand::load},          {"modify", 1, SiteCommand::modify},
    {"update", 1, SiteCommand::modify},      {"oneliner", 1, SiteCommand::one_line},
    {"ping", 4, SiteCommand::ping},          {"quiet", 4, SiteCommand::quiet},
    {"quit", 4, SiteCommand::quit},          {"exit", 1, SiteCommand::quit},
    {"readonly", 4, SiteCommand::read_only}, {"reconfigure", 4, SiteCommand::reconfigure},
    {"shutdown", 4, SiteCommand::shutdown},  {"verbose", 4, SiteCommand::verbose},
    {"version", 4, SiteCommand::version},
};

//                                             show add modify remove
constexpr SiteEntity kEntities[] = {
    {"accounts", Entity::account,                2, 1, 1, 1},
    {"acct", Entity::account,                    2, 1, 1, 1},
    {"associations", Entity::association,        2, 0, 0, 0},
    {"clusters", Entity::cluster,                2, 2, 5, 2},
    {"configuration", Entity::cluster,           2, 0, 0, 0, Special::configuration},
    {"coordinators", Entity::coordinator,        0, 2, 0, 2},
    {"events", Entity::event,                    1, 0, 0, 0},
    {"federations", Entity::cluster,             1, 1, 1, 1, Special::federation},
    {"jobs", Entity::job,                        0, 0, 1, 0},
    {"problems", Entity::problem,                1, 0, 0, 0},
    {"qos", Entity::qos,                         1, 1, 1, 2},
    {"resources", Entity::resource,              4, 1, 1, 1},
    {"reservations", Entity::reservation,        4, 0, 0, 0},
    {"runawayjobs", Entity::runaway_job,         2, 0, 0, 0},
    {"stats", Entity::cluster,                   1, 0, 0, 0, Special::statistics},
    {"transactions", Entity::transaction,        1, 0, 0, 0},
    {"tres", Entity::tres,                       1, 0, 0, 0},
    {"users", Entity::user,                      1, 1, 1, 1},
    {"wckeys", Entity::wckey,                    1, 0, 0, 0},
};

// --- conditions ---
constexpr SiteKey kFormat{"Format", 1, "", K::fields};
constexpr SiteKey kWithAssociations{"WithAssociations", 5, "", K::on, F::with_associations};
constexpr SiteKey kWithCoordinators{"WithCoordinators", 5, "", K::on, F::with_coordinators};
constexpr SiteKey kWithDeleted{"WithDeleted", 5, "", K::on, F::with_deleted};
constexpr SiteKey kWithRawQos{"WithRawQOSLevel", 5, "", K::on, F::raw_qos};
constexpr SiteKey kNoLimits{"WOLimits", 3, "", K::on, F::no_limits};
constexpr SiteKey kNoParents{"WOPInfo", 4, "", K::on, F::no_parents};
constexpr SiteKey kOwnLimits{"WOPLimits", 4, "", K::on, F::own_limits};
constexpr SiteKey kTree{"Tree", 4, "", K::on, F::tree};

constexpr SiteKey kOfAssociation[] = {
    {"Accounts", 2, "Account"}, {"Acct", 2, "Account"}, {"Associations", 2, "ID"},
    {"Clusters", 1, "Cluster"}, {"DefaultQOS", 8, "DefaultQOS"}, kFormat, {"Ids", 1, "ID"},
    {"OnlyDefaults", 4, "", K::on, F::only_defaults}, {"Partitions", 3, "Partition"},
    {"Parents", 3, "Parent"}, {"QosLevel", 1, "QOS"}, kTree, {"Users", 1, "User"},
    kWithDeleted, kWithRawQos, {"WithSubAccounts", 5, "", K::on, F::with_sub_accounts},
    kNoLimits, kNoParents, kOwnLimits};
constexpr SiteKey kOfAccount[] = {
    {"Accounts", 1, "Name"}, {"Acct", 1, "Name"}, {"Names", 1, "Name"},
    {"Associations", 2, "", K::on, F::with_associations}, {"Clusters", 1, "Cluster"},
    {"Descriptions", 1, "Description"}, kFormat, {"Organizations", 1, "Organization"},
    {"Parents", 3, "Parent"}, kTree, kWithAssociations, kWithCoordinators, kWithDeleted,
    kWithRawQos, kNoLimits, kNoParents, kOwnLimits};
constexpr SiteKey kOfUser[] = {
    {"Users", 1, "Name"}, {"Names", 1, "Name"}, {"Accounts", 2, "Account"},
    {"Acct", 3, "Account"}, {"AdminLevel", 2, "AdminLevel"},
    {"Associations", 2, "", K::on, F::with_associations}, {"Clusters", 1, "Cluster"},
    {"DefaultAccounts", 8, "DefaultAccount"}, {"DefaultWCKeys", 8, "DefaultWCKey"}, kFormat,
    {"Partitions", 3, "Partition"}, {"WCKeys", 1, "WCKey"}, kWithAssociations, kWithCoordinators,
    kWithDeleted, kWithRawQos, kNoLimits, kNoParents, kOwnLimits};
constexpr SiteKey kOfQos[] = {
    {"Descriptions", 1, "Description"}, kFormat, {"Ids", 1, "ID"}, {"Names", 1, "Name"},
    {"QosLevel", 1, "Name"}, {"PreemptMode", 8, "PreemptMode"}, kWithDeleted};
constexpr SiteKey kOfCluster[] = {
    {"Clusters", 3, "Name"}, {"Names", 1, "Name"}, {"Classification", 3, "Classification"},
    kFormat, {"Ids", 2, "ID"}, kWithDeleted, {"WithFed", 5, "", K::on, F::federation}, kNoLimits};
constexpr SiteKey kOfCoordinator[] = {
    {"Accounts", 1, "Account"}, {"Acct", 1, "Account"}, {"Names", 1, "Name"},
    {"Users", 1, "Name"}};
constexpr SiteKey kOfTres[] = {
    {"Ids", 1, "ID"}, {"Names", 1, "Name"}, {"Types", 2, "Type"}, kFormat, kWithDeleted};
constexpr SiteKey kOfWckey[] = {
    {"Ids", 1, "ID"}, {"Clusters", 3, "Cluster"}, {"End", 1, "", K::end}, kFormat,
    {"Names", 3, "Name"}, {"Start", 1, "", K::start}, {"Users", 1, "User"}, {"WCKeys", 3, "Name"},
    kWithDeleted};
constexpr SiteKey kOfEvent[] = {
    {"All_Clusters", 5, "", K::on, F::all_clusters}, {"All_Time", 5, "", K::on, F::all_time},
    {"Clusters", 2, "Cluster"}, {"CondFlags", 2, "CondFlags"}, {"End", 1, "", K::end},
    {"Event", 2, "Event"}, kFormat, {"MaxCPUs", 2, "MaxCPUs"}, {"MinCPUs", 2, "MinCPUs"},
    {"Nodes", 1, "Node"}, {"Reasons", 1, "Reason"}, {"Start", 4, "", K::start}, {"States", 4, "State"},
    {"Users", 1, "User"}};
constexpr SiteKey kOfTransaction[] = {
    {"Accounts", 3, "Account"}, {"Acct", 3, "Account"}, {"Actions", 4, "Action"},
    {"Actors", 4, "Actor"}, {"Clusters", 3, "Cluster"}, {"End", 1, "", K::end}, kFormat,
    {"Ids", 1, "ID"}, {"Start", 1, "", K::start}, {"Users", 1, "User"}, kWithAssociations};
constexpr SiteKey kOfReservation[] = {
    {"Clusters", 1, "Cluster"}, {"End", 1, "", K::end}, kFormat, {"Ids", 1, "ID"},
    {"Names", 2, "Name"}, {"Nodes", 2, "Node"}, {"Start", 5, "", K::start}};
constexpr SiteKey kOfResource[] = {
    {"Clusters", 1, "Cluster"}, kFormat, {"Ids", 1, "ID"}, {"Names", 1, "Name"},
    {"Servers", 2, "Server"}, {"WithClusters", 5, "", K::on, F::of_clusters}, kWithDeleted};
constexpr SiteKey kOfProblem[] = {
    {"Accounts", 2, "Account"}, {"Acct", 2, "Account"}, {"Clusters", 1, "Cluster"}, kFormat,
    {"Users", 1, "User"}};
constexpr SiteKey kOfRunawayJob[] = {{"Clusters", 1, "Cluster"}, kFormat};
constexpr SiteKey kOfJob[] = {
    {"Jobs", 1, "Job"}, {"JobIds", 4, "Job"}, {"Ids", 1, "Job"}, {"Clusters", 1, "Cluster"}};

// --- settings ---
#define MUSTER_LIMITS_OF_ALL                                        \
    {"GrpJobs", 4, "GrpJobs", K::count},                            \
    {"GrpJobsAccrue", 8, "GrpJobsAccrue", K::count},                \
    {"GrpSubmitJobs", 4, "GrpSubmitJobs", K::count},                \
    {"GrpTRES", 7, "GrpTRES", K::amounts},                          \
    {"GrpTRESMins", 8, "GrpTRESMins", K::amounts},                  \
    {"GrpTRESRunMins", 8, "GrpTRESRunMins", K::amounts},            \
    {"GrpWall", 4, "GrpWall", K::limit},                            \
    {"GrpCPUs", 7, "GrpTRES", K::resource, F::none, "cpu"},         \
    {"GrpCPUMins", 7, "GrpTRESMins", K::resource, F::none, "cpu"},  \
    {"GrpCPURunMins", 7, "GrpTRESRunMins", K::resource, F::none, "cpu"}, \
    {"GrpMemory", 4, "GrpTRES", K::resource, F::none, "mem"},       \
    {"GrpNodes", 4, "GrpTRES", K::resource, F::none, "node"},       \
    {"MaxTRESPerJob", 7, "MaxTRESPerJob", K::amounts},              \
    {"MaxTRESPJ", 9, "MaxTRESPerJob", K::amounts},                  \
    {"MaxTRESPerNode", 11, "MaxTRESPerNode", K::amounts},           \
    {"MaxTRESPN", 9, "MaxTRESPerNode", K::amounts},                 \
    {"MaxTRESMinsPerJob", 8, "MaxTRESMinsPerJob", K::amounts},      \
    {"MaxTRESMinsPJ", 13, "MaxTRESMinsPerJob", K::amounts},         \
    {"MaxCPUsPerJob", 7, "MaxTRESPerJob", K::resource, F::none, "cpu"},         \
    {"MaxCPUMinsPerJob", 7, "MaxTRESMinsPerJob", K::resource, F::none, "cpu"},  \
    {"MaxNodesPerJob", 4, "MaxTRESPerJob", K::resource, F::none, "node"},       \
    {"MaxWallDurationPerJob", 4, "MaxWallDurationPerJob", K::limit},            \
    {"MinPrioThreshold", 4, "MinPrioThreshold", K::count}
#define MUSTER_LIMITS_OF_ASSOCIATIONS                               \
    {"Fairshare", 1, "Fairshare", K::shares},                       \
    {"Shares", 1, "Fairshare", K::shares},                          \
    MUSTER_LIMITS_OF_ALL,                                           \
    {"MaxJobs", 4, "MaxJobs", K::count},                            \
    {"MaxJobsAccrue", 8, "MaxJobsAccrue", K::count},                \
    {"MaxSubmitJobs", 4, "MaxSubmitJobs", K::count},                \
    {"Priority", 2, "Priority", K::count},                          \
    {"QosLevel", 1, "QOS", K::names},                               \
    {"DefaultQOS", 8, "DefaultQOS", K::text},                       \
    {"RawUsage", 7, "RawUsage", K::text}

constexpr SiteKey kSetAccount[] = {
    {"Description", 1, "Description", K::text}, {"Organization", 1, "Organization", K::text},
    {"ParentName", 2, "Parent", K::text}, MUSTER_LIMITS_OF_ASSOCIATIONS};
constexpr SiteKey kSetUser[] = {
    {"AdminLevel", 2, "AdminLevel", K::admin_level},
    {"DefaultAccount", 8, "DefaultAccount", K::text}, {"DefaultWCKey", 8, "DefaultWCKey", K::text},
    {"NewName", 1, "NewName", K::text}, {"WCKeys", 1, "WCKey", K::names},
    MUSTER_LIMITS_OF_ASSOCIATIONS};
constexpr SiteKey kSetCluster[] = {
    {"Classification", 3, "Classification", K::text}, {"Features", 2, "Features", K::names},
    MUSTER_LIMITS_OF_ASSOCIATIONS};
constexpr SiteKey kSetQos[] = {
    {"Description", 1, "Description", K::text}, {"Flags", 2, "Flags", K::names},
    {"GraceTime", 3, "GraceTime", K::number}, {"LimitFactor", 6, "LimitFactor", K::real},
    {"MaxJobsPerUser", 4, "MaxJobsPerUser", K::count}, {"MaxJobsPU", 9, "MaxJobsPerUser", K::count},
    {"MaxJobsPerAccount", 11, "MaxJobsPerAccount", K::count},
    {"MaxJobsPA", 9, "MaxJobsPerAccount", K::count},
    {"MaxJobsAccruePerUser", 17, "MaxJobsAccruePerUser", K::count},
    {"MaxJobsAccruePU", 15, "MaxJobsAccruePerUser", K::count},
    {"MaxJobsAccruePerAccount", 17, "MaxJobsAccruePerAccount", K::count},
    {"MaxJobsAccruePA", 15, "MaxJobsAccruePerAccount", K::count},
    {"MaxSubmitJobsPerUser", 4, "MaxSubmitJobsPerUser", K::count},
    {"MaxSubmitJobsPU", 15, "MaxSubmitJobsPerUser", K::count},
    {"MaxSubmitPU", 11, "MaxSubmitJobsPerUser", K::count},
    {"MaxSubmitJobsPerAccount", 17, "MaxSubmitJobsPerAccount", K::count},
    {"MaxSubmitJobsPA", 15, "MaxSubmitJobsPerAccount", K::count},
    {"MaxSubmitPA", 11, "MaxSubmitJobsPerAccount", K::count},
    {"MaxTRESPerUser", 11, "MaxTRESPerUser", K::amounts},
    {"MaxTRESPU", 9, "MaxTRESPerUser", K::amounts},
    {"MaxTRESPerAccount", 11, "MaxTRESPerAccount", K::amounts},
    {"MaxTRESPA", 9, "MaxTRESPerAccount", K::amounts},
    {"MaxCPUsPerUser", 11, "MaxTRESPerUser", K::resource, F::none, "cpu"},
    {"MaxNodesPerUser", 12, "MaxTRESPerUser", K::resource, F::none, "node"},
    {"MinTRESPerJob", 7, "MinTRESPerJob", K::amounts}, {"MinTRESPJ", 9, "MinTRESPerJob", K::amounts},
    {"MinCPUsPerJob", 7, "MinTRESPerJob", K::resource, F::none, "cpu"},
    {"Preempt", 7, "Preempt", K::names}, {"PreemptMode", 8, "PreemptMode", K::upper},
    {"PreemptExemptTime", 8, "PreemptExemptTime", K::limit}, {"Priority", 3, "Priority", K::count},
    {"RawUsage", 7, "RawUsage", K::text}, {"UsageFactor", 6, "UsageFactor", K::real},
    {"UsageThreshold", 6, "UsageThreshold", K::real}, MUSTER_LIMITS_OF_ALL};
constexpr SiteKey kSetResource[] = {
    {"Count", 3, "Count", K::number}, {"Description", 1, "Description", K::text},
    {"Flags", 2, "Flags", K::names}, {"PercentAllowed", 1, "PercentAllowed", K::number},
    {"ServerType", 7, "ServerType", K::text}, {"Type", 1, "Type", K::text}};
constexpr SiteKey kSetJob[] = {
    {"AdminComment", 1, "AdminComment", K::text}, {"Comment", 1, "Comment", K::text},
    {"DerivedExitCode", 12, "DerivedExitCode", K::text}, {"DerivedEC", 9, "DerivedExitCode", K::text},
    {"NewWCKey", 1, "WCKey", K::text}, {"SystemComment", 1, "SystemComment", K::text},
    {"WCKey", 1, "WCKey", K::text}};
#undef MUSTER_LIMITS_OF_ASSOCIATIONS
#undef MUSTER_LIMITS_OF_ALL
// clang-format on

std::uint8_t letters(const SiteEntity& row, SiteCommand command) {
  switch (command) {
    case SiteCommand::show:
      return row.show;
    case SiteCommand::add:
      return row.add;
    case SiteCommand::modify:
      return row.modify;
    case SiteCommand::remove:
      return row.remove;
    default:
      return 0;
  }
}

}  // namespace

bool is_short_for(std::string_view word, std::string_view name, std::size_t least) {
  return word.size() >= least && !word.empty() && istarts_with(name, word);
}

SiteCommand find_site_command(std::string_view word) {
  for (const CommandWord& row : kCommands)
    if (is_short_for(word, row.word, row.least)) return row.command;
  return SiteCommand::none;
}

const SiteEntity* find_site_entity(SiteCommand command, std::string_view word) {
  for (const SiteEntity& row : kEntities)
    if (const std::uint8_t least = letters(row, command);
        least > 0 && is_short_for(word, row.word, least))
      return &row;
  return nullptr;
}

std::span<const SiteKey> conditions_of(Entity entity) {
  switch (entity) {
    case Entity::association:
      return kOfAssociation;
    case Entity::account:
      return kOfAccount;
    case Entity::user:
      return kOfUser;
    case Entity::qos:
      return kOfQos;
    case Entity::cluster:
      return kOfCluster;
    case Entity::coordinator:
      return kOfCoordinator;
    case Entity::tres:
      return kOfTres;
    case Entity::wckey:
      return kOfWckey;
    case Entity::event:
      return kOfEvent;
    case Entity::transaction:
      return kOfTransaction;
    case Entity::reservation:
      return kOfReservation;
    case Entity::resource:
      return kOfResource;
    case Entity::problem:
      return kOfProblem;
    case Entity::runaway_job:
      return kOfRunawayJob;
    case Entity::job:
      return kOfJob;
    case Entity::usage:
      return {};
  }
  return {};
}

std::span<const SiteKey> settings_of(Entity entity) {
  switch (entity) {
    case Entity::account:
      return kSetAccount;
    case Entity::user:
      return kSetUser;
    case Entity::cluster:
      return kSetCluster;
    case Entity::qos:
      return kSetQos;
    case Entity::resource:
      return kSetResource;
    case Entity::job:
      return kSetJob;
    default:
      return {};
  }
}

std::string_view bare_key(Entity entity) {
  switch (entity) {
    case Entity::association:
    case Entity::transaction:
      return "ID";
    case Entity::event:
      return "Node";
    case Entity::problem:
    case Entity::runaway_job:
      return "Cluster";
    case Entity::job:
      return "Job";
    default:
      return "Name";
  }
}

const SiteKey* find_site_key(std::span<const SiteKey> keys, std::string_view word) {
  for (const SiteKey& row : keys)
    if (iequals(row.word, word)) return &row;
  for (const SiteKey& row : keys)
    if (is_short_for(word, row.word, row.least)) return &row;
  return nullptr;
}

}  // namespace muster::cli
