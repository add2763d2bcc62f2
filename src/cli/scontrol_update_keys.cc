#include "cli/scontrol_update_keys.h"

#include <array>
#include <span>

#include "base/strings.h"

namespace muster::cli {

namespace {

using Kind = wire::UpdateRequest::Kind;

struct Key {
  std::string_view name;
  std::size_t shortest;  // letters that an abbreviation needs
};

constexpr std::array kJobKeys{
    Key{"Account", 2},
    Key{"AdminComment", 3},
    Key{"ArrayTaskThrottle", 10},
    Key{"BurstBuffer", 1},
    Key{"ClusterFeatures", 8},
    Key{"Clusters", 8},
    Key{"Comment", 3},
    Key{"Contiguous", 3},
    Key{"CoreSpec", 4},
    Key{"CPUsPerTask", 9},
    Key{"CpusPerTres", 9},
    Key{"Deadline", 3},
    Key{"DelayBoot", 5},
    Key{"Dependency", 1},
    Key{"DerivedExitCode", 12},
    Key{"EligibleTime", 2},
    Key{"EndTime", 2},
    Key{"ExcNodeList", 3},
    Key{"Features", 1},
    Key{"Gres", 2},
    Key{"JobName", 4},
    Key{"Licenses", 1},
    Key{"MailType", 5},
    Key{"MailUser", 5},
    Key{"MemPerTres", 4},
    Key{"MinCPUsNode", 4},
    Key{"MinMemoryCPU", 10},
    Key{"MinMemoryNode", 10},
    Key{"MinTmpDiskNode", 5},
    Key{"Name", 2},
    Key{"Nice", 2},
    Key{"NodeList", 8},
    Key{"NumCPUs", 6},
    Key{"NumNodes", 8},
    Key{"NumTasks", 8},
    Key{"OverSubscribe", 2},
    Key{"Partition", 2},
    Key{"Prefer", 3},
    Key{"Priority", 2},
    Key{"QOS", 1},
    Key{"Reboot", 3},
    Key{"ReqCores", 5},
    Key{"ReqNodeList", 8},
    Key{"ReqNodes", 8},
    Key{"ReqProcs", 4},
    Key{"ReqSockets", 4},
    Key{"ReqThreads", 4},
    Key{"Requeue", 4},
    Key{"ReservationName", 3},
    Key{"ResetAccrueTime", 4},
    Key{"Shared", 2},
    Key{"SiteFactor", 6},
    Key{"StartTime", 2},
    Key{"StdOut", 6},
    Key{"Switches", 2},
    Key{"TasksPerNode", 9},
    Key{"ThreadSpec", 4},
    Key{"TimeLimit", 5},
    Key{"TimeMin", 5},
    Key{"TresPerJob", 7},
    Key{"TresPerNode", 7},
    Key{"TresPerSocket", 7},
    Key{"TresPerTask", 7},
    Key{"UserID", 3},
    Key{"WCKey", 1},
    Key{"WorkDir", 2},
    Key{"Wait-for-switch", 5},
};
constexpr std::array kNodeKeys{
    Key{"ActiveFeatures", 3}, Key{"AvailableFeatures", 3},
    Key{"Comment", 3},        Key{"CpuBind", 7},
    Key{"Extra", 1},          Key{"Features", 1},
    Key{"Gres", 1},           Key{"NodeAddr", 5},
    Key{"NodeHostName", 5},   Key{"Reason", 1},
    Key{"State", 1},          Key{"Weight", 1},
};
constexpr std::array kPartitionKeys{
    Key{"AllocNodes", 4},
    Key{"AllowAccounts", 6},
    Key{"AllowGroups", 6},
    Key{"AllowQOS", 6},
    Key{"Alternate", 3},
    Key{"CpuBind", 7},
    Key{"Default", 7},
    Key{"DefaultTime", 8},
    Key{"DefMemPerCPU", 10},
    Key{"DefMemPerNode", 10},
    Key{"DenyAccounts", 5},
    Key{"DenyQOS", 5},
    Key{"DisableRootJobs", 1},
    Key{"ExclusiveUser", 1},
    Key{"GraceTime", 5},
    Key{"Hidden", 1},
    Key{"JobDefaults", 1},
    Key{"LLN", 3},
    Key{"MaxCPUsPerNode", 4},
    Key{"MaxMemPerCPU", 10},
    Key{"MaxMemPerNode", 10},
    Key{"MaxNodes", 4},
    Key{"MaxTime", 4},
    Key{"MinNodes", 2},
    Key{"Nodes", 5},
    Key{"OverSubscribe", 5},
    Key{"OverTimeLimit", 5},
    Key{"PreemptMode", 3},
    Key{"Priority", 3},
    Key{"PriorityJobFactor", 9},
    Key{"PriorityTier", 9},
    Key{"QOS", 3},
    Key{"ReqResv", 3},
    Key{"RootOnly", 3},
    Key{"Shared", 2},
    Key{"State", 2},
    Key{"TRESBillingWeights", 1},
};
constexpr std::array kStepKeys{Key{"TimeLimit", 5}};

std::span<const Key> keys_of(Kind kind) {
  switch (kind) {
    case Kind::job:
      return kJobKeys;
    case Kind::node:
      return kNodeKeys;
    case Kind::partition:
      return kPartitionKeys;
    case Kind::step:
      return kStepKeys;
    case Kind::reservation:
      break;
  }
  return {};
}

}  // namespace

bool abbreviates(std::string_view word, std::string_view name, std::size_t shortest) {
  return iequals(word, name) || (word.size() >= shortest && istarts_with(name, word));
}

std::optional<std::string> find_update_key(Kind kind, std::string_view word) {
  for (const Key& key : keys_of(kind))
    if (iequals(word, key.name)) return std::string(key.name);
  for (const Key& key : keys_of(kind))
    if (abbreviates(word, key.name, key.shortest)) return std::string(key.name);
  return std::nullopt;
}

}  // namespace muster::cli
