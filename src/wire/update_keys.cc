// The table of the keys, in the order in which abbreviations find them.
#include "wire/update_keys.h"

#include <algorithm>

#include "base/text/strings.h"

namespace muster::wire {

namespace {

using V = UpdateValue;

constexpr bool kPending = true, kAnyState = false, kOperators = true;

constexpr UpdateKey kJobKeys[] = {
    {"Account", 2, V::text, kPending},
    {"AdminComment", 3, V::text, kAnyState, kOperators},
    {"ArrayTaskThrottle", 10},
    {"BurstBuffer", 1},
    {"ClusterFeatures", 8},
    {"Clusters", 8},
    {"Comment", 3},
    {"Contiguous", 3, V::yes_no, kPending, kOperators},
    {"CoreSpec", 4, V::count_or_unset, kPending},
    {"CPUsPerTask", 9, V::count, kPending},
    {"CpusPerTres", 9, V::text, kPending},
    {"Deadline", 3, V::date, kAnyState, kOperators},
    {"DelayBoot", 5, V::duration, kPending},
    {"Dependency", 1, V::text, kPending},
    {"DerivedExitCode", 12},
    {"EligibleTime", 2, V::date, kPending},
    {"EndTime", 2},
    {"ExcNodeList", 3, V::text, kPending},
    {"Features", 1, V::text, kPending},
    {"Gres", 2, V::text, kPending},
    {"JobName", 4},
    {"Licenses", 1, V::text, kPending},
    {"MailType", 5, V::mail_types},
    {"MailUser", 5},
    {"MemPerTres", 4, V::text, kPending},
    {"MinCPUsNode", 4, V::count, kPending},
    {"MinMemoryCPU", 10, V::memory, kPending},
    {"MinMemoryNode", 10, V::memory, kPending},
    {"MinTmpDiskNode", 5, V::memory, kPending},
    {"Name", 2},
    {"Nice", 2},
    {"NodeList", 8, V::text, kPending},
    {"NumCPUs", 6, V::text, kPending},
    {"NumNodes", 8},
    {"NumTasks", 8, V::count, kPending},
    {"OverSubscribe", 2, V::yes_no, kPending, kOperators},
    {"Partition", 2, V::text, kPending},
    {"Prefer", 3, V::text, kPending},
    {"Priority", 2, V::priority},
    {"QOS", 1, V::text, kPending},
    {"Reboot", 3, V::yes_no, kPending, kOperators, "reboot"},
    {"ReqCores", 5, V::count, kPending},
    {"ReqNodeList", 8, V::text, kPending},
    {"ReqNodes", 8},
    {"ReqProcs", 4, V::count, kPending, false, "NumTasks"},
    {"ReqSockets", 4, V::count, kPending},
    {"ReqThreads", 4, V::count, kPending},
    {"Requeue", 4, V::count},
    {"ReservationName", 3, V::text, kPending},
    {"ResetAccrueTime", 4, V::text, kPending, kOperators},
    {"Shared", 2, V::yes_no, kPending, kOperators, "OverSubscribe"},
    {"SiteFactor", 6, V::site_factor, kAnyState, kOperators},
    {"StartTime", 2, V::date, kPending},
    {"StdOut", 6, V::text, kPending},
    {"Switches", 2, V::text, kPending},
    {"TasksPerNode", 9, V::count, kPending},
    {"ThreadSpec", 4, V::count, kPending},
    {"TimeLimit", 5, V::time_limit_change},
    {"TimeMin", 5, V::time_limit, kPending},
    {"TresPerJob", 7, V::text, kPending},
    {"TresPerNode", 7, V::text, kPending},
    {"TresPerSocket", 7, V::text, kPending},
    {"TresPerTask", 7, V::text, kPending},
    {"UserID", 3},
    {"WCKey", 1, V::text, kPending},
    {"WorkDir", 2, V::text, kPending},
    {"Wait-for-switch", 5, V::count, kPending, false, "wait-for-switch"},
};

constexpr UpdateKey kNodeKeys[] = {
    {"ActiveFeatures", 3},
    {"AvailableFeatures", 3},
    {"Comment", 3},
    {"CpuBind", 7},
    {"Extra", 1},
    {"Features", 1},
    {"Gres", 1},
    {"NodeAddr", 5},
    {"NodeHostName", 5},
    {"Reason", 1},
    {"State", 1, V::node_state},
    {"Weight", 1, V::weight},
};

constexpr UpdateKey kPartitionKeys[] = {
    {"AllocNodes", 4},
    {"AllowAccounts", 6},
    {"AllowGroups", 6},
    {"AllowQOS", 6},
    {"Alternate", 3},
    {"CpuBind", 7},
    {"Default", 7, V::flag},
    {"DefaultTime", 8, V::time_limit},
    {"DefMemPerCPU", 10, V::count},
    {"DefMemPerNode", 10, V::count},
    {"DenyAccounts", 5},
    {"DenyQOS", 5},
    {"DisableRootJobs", 1, V::flag},
    {"ExclusiveUser", 1, V::flag},
    {"GraceTime", 5, V::count},
    {"Hidden", 1, V::flag},
    {"JobDefaults", 1},
    {"LLN", 3, V::flag},
    {"MaxCPUsPerNode", 4, V::count_or_infinite},
    {"MaxMemPerCPU", 10, V::count},
    {"MaxMemPerNode", 10, V::count},
    {"MaxNodes", 4, V::count_or_infinite},
    {"MaxTime", 4, V::time_limit},
    {"MinNodes", 2, V::node_count},
    {"Nodes", 5},
    {"OverSubscribe", 5, V::sharing},
    {"OverTimeLimit", 5, V::count_or_infinite},
    {"PreemptMode", 3, V::preempt_mode},
    {"Priority", 3, V::count},
    {"PriorityJobFactor", 9, V::count},
    {"PriorityTier", 9, V::count},
    {"QOS", 3},
    {"ReqResv", 3, V::flag},
    {"RootOnly", 3, V::flag},
    {"Shared", 2, V::sharing, false, false, "OverSubscribe"},
    {"State", 2, V::partition_state},
    {"TRESBillingWeights", 1},
};

constexpr UpdateKey kStepKeys[] = {{"TimeLimit", 5, V::time_limit}};

constexpr UpdateKey kReservationKeys[] = {
    {"Accounts", 1},      {"BurstBuffer", 2}, {"Comment", 3}, {"CoreCnt", 3},       {"Duration", 1},
    {"EndTime", 1},       {"Features", 2},    {"Flags", 2},   {"Groups", 1},        {"Licenses", 1},
    {"MaxStartDelay", 1}, {"NodeCnt", 5},     {"Nodes", 5},   {"PartitionName", 1}, {"Skip", 2},
    {"StartTime", 1},     {"TRES", 1},        {"Users", 1},   {"Watts", 1},
};

}  // namespace

std::span<const UpdateKey> update_keys(UpdateRequest::Kind kind) {
  switch (kind) {
    case UpdateRequest::Kind::job:
      return kJobKeys;
    case UpdateRequest::Kind::node:
      return kNodeKeys;
    case UpdateRequest::Kind::partition:
      return kPartitionKeys;
    case UpdateRequest::Kind::step:
      return kStepKeys;
    case UpdateRequest::Kind::reservation:
      return kReservationKeys;
  }
  return {};
}

const UpdateKey* find_update_key(UpdateRequest::Kind kind, std::string_view name) {
  for (const UpdateKey& key : update_keys(kind))
    if (iequals(name, key.name)) return &key;
  return nullptr;
}

const UpdateKey* find_abbreviated_key(UpdateRequest::Kind kind, std::string_view word) {
  if (const UpdateKey* key = find_update_key(kind, word)) return key;
  for (const UpdateKey& key : update_keys(kind))
    if (abbreviates(word, key.name, key.shortest)) return &key;
  return nullptr;
}

bool abbreviates(std::string_view word, std::string_view name, std::size_t shortest) {
  return iequals(word, name) || (word.size() >= shortest && istarts_with(name, word));
}

}  // namespace muster::wire
