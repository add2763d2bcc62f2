#include "cli/scontrol/update_keys.h"

#include <array>
#include <span>

#include "base/text/strings.h"

namespace muster::cli {

namespace {

using Kind = wire::UpdateRequest::Kind;

struct UpdateKey {
  std::string_view name;
  std::size_t shortest;  // letters that an abbreviation needs
};

constexpr std::array kJobKeys{
    UpdateKey{"Account", 2},
    UpdateKey{"AdminComment", 3},
    UpdateKey{"ArrayTaskThrottle", 10},
    UpdateKey{"BurstBuffer", 1},
    UpdateKey{"ClusterFeatures", 8},
    UpdateKey{"Clusters", 8},
    UpdateKey{"Comment", 3},
    UpdateKey{"Contiguous", 3},
    UpdateKey{"CoreSpec", 4},
    UpdateKey{"CPUsPerTask", 9},
    UpdateKey{"CpusPerTres", 9},
    UpdateKey{"Deadline", 3},
    UpdateKey{"DelayBoot", 5},
    UpdateKey{"Dependency", 1},
    UpdateKey{"DerivedExitCode", 12},
    UpdateKey{"EligibleTime", 2},
    UpdateKey{"EndTime", 2},
    UpdateKey{"ExcNodeList", 3},
    UpdateKey{"Features", 1},
    UpdateKey{"Gres", 2},
    UpdateKey{"JobName", 4},
    UpdateKey{"Licenses", 1},
    UpdateKey{"MailType", 5},
    UpdateKey{"MailUser", 5},
    UpdateKey{"MemPerTres", 4},
    UpdateKey{"MinCPUsNode", 4},
    UpdateKey{"MinMemoryCPU", 10},
    UpdateKey{"MinMemoryNode", 10},
    UpdateKey{"MinTmpDiskNode", 5},
    UpdateKey{"Name", 2},
    UpdateKey{"Nice", 2},
    UpdateKey{"NodeList", 8},
    UpdateKey{"NumCPUs", 6},
    UpdateKey{"NumNodes", 8},
    UpdateKey{"NumTasks", 8},
    UpdateKey{"OverSubscribe", 2},
    UpdateKey{"Partition", 2},
    UpdateKey{"Prefer", 3},
    UpdateKey{"Priority", 2},
    UpdateKey{"QOS", 1},
    UpdateKey{"Reboot", 3},
    UpdateKey{"ReqCores", 5},
    UpdateKey{"ReqNodeList", 8},
    UpdateKey{"ReqNodes", 8},
    UpdateKey{"ReqProcs", 4},
    UpdateKey{"ReqSockets", 4},
    UpdateKey{"ReqThreads", 4},
    UpdateKey{"Requeue", 4},
    UpdateKey{"ReservationName", 3},
    UpdateKey{"ResetAccrueTime", 4},
    UpdateKey{"Shared", 2},
    UpdateKey{"SiteFactor", 6},
    UpdateKey{"StartTime", 2},
    UpdateKey{"StdOut", 6},
    UpdateKey{"Switches", 2},
    UpdateKey{"TasksPerNode", 9},
    UpdateKey{"ThreadSpec", 4},
    UpdateKey{"TimeLimit", 5},
    UpdateKey{"TimeMin", 5},
    UpdateKey{"TresPerJob", 7},
    UpdateKey{"TresPerNode", 7},
    UpdateKey{"TresPerSocket", 7},
    UpdateKey{"TresPerTask", 7},
    UpdateKey{"UserID", 3},
    UpdateKey{"WCKey", 1},
    UpdateKey{"WorkDir", 2},
    UpdateKey{"Wait-for-switch", 5},
};
constexpr std::array kNodeKeys{
    UpdateKey{"ActiveFeatures", 3}, UpdateKey{"AvailableFeatures", 3},
    UpdateKey{"Comment", 3},        UpdateKey{"CpuBind", 7},
    UpdateKey{"Extra", 1},          UpdateKey{"Features", 1},
    UpdateKey{"Gres", 1},           UpdateKey{"NodeAddr", 5},
    UpdateKey{"NodeHostName", 5},   UpdateKey{"Reason", 1},
    UpdateKey{"State", 1},          UpdateKey{"Weight", 1},
};
constexpr std::array kPartitionKeys{
    UpdateKey{"AllocNodes", 4},
    UpdateKey{"AllowAccounts", 6},
    UpdateKey{"AllowGroups", 6},
    UpdateKey{"AllowQOS", 6},
    UpdateKey{"Alternate", 3},
    UpdateKey{"CpuBind", 7},
    UpdateKey{"Default", 7},
    UpdateKey{"DefaultTime", 8},
    UpdateKey{"DefMemPerCPU", 10},
    UpdateKey{"DefMemPerNode", 10},
    UpdateKey{"DenyAccounts", 5},
    UpdateKey{"DenyQOS", 5},
    UpdateKey{"DisableRootJobs", 1},
    UpdateKey{"ExclusiveUser", 1},
    UpdateKey{"GraceTime", 5},
    UpdateKey{"Hidden", 1},
    UpdateKey{"JobDefaults", 1},
    UpdateKey{"LLN", 3},
    UpdateKey{"MaxCPUsPerNode", 4},
    UpdateKey{"MaxMemPerCPU", 10},
    UpdateKey{"MaxMemPerNode", 10},
    UpdateKey{"MaxNodes", 4},
    UpdateKey{"MaxTime", 4},
    UpdateKey{"MinNodes", 2},
    UpdateKey{"Nodes", 5},
    UpdateKey{"OverSubscribe", 5},
    UpdateKey{"OverTimeLimit", 5},
    UpdateKey{"PreemptMode", 3},
    UpdateKey{"Priority", 3},
    UpdateKey{"PriorityJobFactor", 9},
    UpdateKey{"PriorityTier", 9},
    UpdateKey{"QOS", 3},
    UpdateKey{"ReqResv", 3},
    UpdateKey{"RootOnly", 3},
    UpdateKey{"Shared", 2},
    UpdateKey{"State", 2},
    UpdateKey{"TRESBillingWeights", 1},
};
constexpr std::array kStepKeys{UpdateKey{"TimeLimit", 5}};

std::span<const UpdateKey> keys_of(Kind kind) {
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
  for (const UpdateKey& key : keys_of(kind))
    if (iequals(word, key.name)) return std::string(key.name);
  for (const UpdateKey& key : keys_of(kind))
    if (abbreviates(word, key.name, key.shortest)) return std::string(key.name);
  return std::nullopt;
}

}  // namespace muster::cli
