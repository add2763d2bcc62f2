// The table of fields, and what each entity shows of it without being told.
#include "cli/sacctmgr/fields.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "cli/lib/errors.h"
#include "cli/sacctmgr/values.h"

namespace muster::cli {

namespace {

using wire::Entity;
using Row = const ShownRow&;
using Out = std::string&;

// --- what a row is about ---
const Association* association_of(Row row) {
  return row.association ? &row.association->row.association : nullptr;
}
const Limits* limits_of(Row row) {
  if (row.qos) return &row.qos->qos.limits;
  const Association* association = association_of(row);
  return association ? &association->limits : nullptr;
}
const RowTimes* times_of(Row row) {
  if (row.association && !row.account && !row.user && !row.cluster)
    return &row.association->row.times;
  if (row.account) return &row.account->times;
  if (row.user) return &row.user->row.times;
  if (row.qos) return &row.qos->times;
  if (row.cluster) return &row.cluster->row.times;
  if (row.wckey) return &row.wckey->times;
  if (row.resource) return &row.resource->times;
  return nullptr;
}

// --- pieces ---
void put_list(const std::vector<Text>& names, Out out) {
  std::string_view comma;
  for (const Text& name : names) {
    out.append(comma).append(name.view());
    comma = ",";
  }
}
void put_count(const std::optional<std::uint32_t>& count, Out out) {
  if (count) out += std::to_string(*count);
}
void put_limit(const std::optional<Minutes>& limit, Out out) {
  if (limit) out += limit_text(*limit);
}
void put_number(std::uint64_t number, Out out) { out += std::to_string(number); }
void put_factor(double factor, Out out) { fmt::format_to(std::back_inserter(out), "{:.6f}", factor); }

// One resource of a limit, for the columns from before TRES.
template <auto... Path>
constexpr auto member = [](const auto& object) -> const auto& { return (object .* ... .* Path); };

template <auto... Path>
void amounts(Row row, Out out) {
  if (const Limits* limits = limits_of(row)) out += amounts_text(member<Path...>(*limits));
}
template <auto... Path>
void count(Row row, Out out) {
  if (const Limits* limits = limits_of(row)) put_count(member<Path...>(*limits), out);
}
template <auto... Path>
void limit(Row row, Out out) {
  if (const Limits* limits = limits_of(row)) put_limit(member<Path...>(*limits), out);
}
constexpr char kCpu[] = "cpu", kMemory[] = "mem", kNode[] = "node";
template <const char* Name, auto... Path>
void one(Row row, Out out) {
  const Limits* limits = limits_of(row);
  if (!limits) return;
  if (const auto amount = amount_of(member<Path...>(*limits), Name)) put_number(*amount, out);
}

using L = Limits;
using S = SharedLimits;

// --- names ---
void account(Row row, Out out) {
  if (row.account) out += row.account->name.view();
  else if (const Association* a = association_of(row))
    out.append(row.indent, ' ').append(a->key.account.view());
  else if (row.transaction)
    put_list(row.transaction->accounts, out);
}
void user(Row row, Out out) {
  if (row.event) out += row.event->user.view();
  else if (row.wckey) out += row.wckey->user.view();
  else if (row.transaction) put_list(row.transaction->users, out);
  else if (row.user) out += row.user->row.name.view();
  else if (const Association* a = association_of(row)) out += a->key.user.view();
}
void cluster(Row row, Out out) {
  if (row.cluster) out += row.cluster->row.name.view();
  else if (row.event) out += row.event->cluster.view();
  else if (row.wckey) out += row.wckey->cluster.view();
  else if (row.transaction) out += row.transaction->cluster.view();
  else if (row.runaway) out += row.runaway->cluster.view();
  else if (row.share) out += row.share->first.view();
  else if (row.association) out += row.association->row.cluster.view();
}
void partition(Row row, Out out) {
  if (row.runaway) out += row.runaway->partition.view();
  else if (const Association* a = association_of(row)) out += a->key.partition.view();
}
void name(Row row, Out out) {
  if (row.qos) out += row.qos->qos.name.view();
  else if (row.tres) out += row.tres->name.view();
  else if (row.resource) out += row.resource->name.view();
  else if (row.runaway) out += row.runaway->name.view();
  else if (row.wckey) out += row.wckey->name.view();
  else if (row.user) out += row.user->row.name.view();
  else if (row.account) out += row.account->name.view();
  else if (row.cluster) out += row.cluster->row.name.view();
}
void id(Row row, Out out) {
  if (row.qos) put_number(row.qos->id, out);
  else if (row.tres) put_number(row.tres->id, out);
  else if (row.wckey) put_number(row.wckey->id, out);
  else if (row.resource) put_number(row.resource->id, out);
  else if (row.transaction) put_number(row.transaction->id, out);
  else if (row.runaway) put_number(row.runaway->job.value, out);
  else if (row.cluster) put_number(0, out);  // of a federation
  else if (row.association && row.association->row.id != 0) put_number(row.association->row.id, out);
}
void description(Row row, Out out) {
  if (row.account) out += row.account->description.view();
  else if (row.qos) out += row.qos->qos.description.view();
  else if (row.resource) out += row.resource->description.view();
}
void kind(Row row, Out out) {
  if (row.tres) out += row.tres->type.view();
  else if (row.resource) out += row.resource->kind.view();
}

// --- accounts and users ---
void admin_level(Row row, Out out) {
  if (!row.user) return;
  switch (row.user->row.admin_level) {
    case AdminLevel::none:
      out += "None";
      return;
    case AdminLevel::operates:
      out += "Operator";
      return;
    case AdminLevel::administers:
      out += "Administrator";
      return;
  }
}
void coordinators(Row row, Out out) {
  if (row.account) put_list(row.account->coordinators, out);
  else if (row.user) put_list(row.user->coordinates, out);
}
// Each cluster has its own; a line is of one cluster, or shows the first.
void own_default(const std::vector<std::pair<Text, Text>>& defaults, Row row, Out out) {
  for (const auto& [where, name] : defaults)
    if (!row.association || row.association->row.cluster == where) {
      out += name.view();
      return;
    }
}
void default_account(Row row, Out out) {
  if (row.user) own_default(row.user->default_account, row, out);
}
void default_wckey(Row row, Out out) {
  if (row.user) own_default(row.user->default_wckey, row, out);
}

// --- associations ---
void shares(Row row, Out out) {
  const Association* a = association_of(row);
  if (!a) return;
  if (a->shares_of_parent) out += "parent";
  else put_number(a->shares, out);
}
void qos_list(Row row, Out out) {
  if (const Association* a = association_of(row)) put_list(a->qos, out);
}
void qos_numbers(Row row, Out out) {
  const Association* a = association_of(row);
  if (!a) return;
  std::vector<std::uint32_t> ids;
  for (const QosRow& qos : row.all_qos)
    if (std::ranges::find(a->qos, qos.qos.name) != a->qos.end()) ids.push_back(qos.id);
  std::ranges::sort(ids);
  std::string_view comma;
  for (const std::uint32_t id : ids) {
    out.append(comma).append(std::to_string(id));
    comma = ",";
  }
}
void default_qos(Row row, Out out) {
  if (const Association* a = association_of(row)) out += a->default_qos.view();
}
void parent_name(Row row, Out out) {
  const Association* a = association_of(row);
  if (a && !a->is_user() && !a->is_root()) out += a->parent.empty() ? kRootAccount : a->parent.view();
}
void parent_id(Row row, Out out) {
  if (row.association && row.association->parent_id != 0) put_number(row.association->parent_id, out);
}
void priority(Row row, Out out) {
  if (row.qos) put_number(row.qos->qos.priority, out);
  else if (const Association* a = association_of(row); a && a->priority != 0)
    put_number(a->priority, out);
}
void min_priority(Row row, Out out) {
  if (row.qos) put_count(row.qos->qos.min_priority, out);
  else if (const Association* a = association_of(row)) put_count(a->min_priority, out);
}
void left(Row row, Out out) {
  if (row.association) put_number(row.association->lft, out);
}
void right(Row row, Out out) {
  if (row.association) put_number(row.association->rgt, out);
}

// --- QOS ---
void flags(Row row, Out out) {
  std::vector<Text> names;
  const RowTimes* times = times_of(row);
  if (times && times->deleted) names.emplace_back("DELETED");
  if (row.qos)
    for (std::string_view flag : qos_flags(row.qos->qos)) names.emplace_back(flag);
  if (row.resource) names.insert(names.end(), row.resource->flags.begin(), row.resource->flags.end());
  if (row.cluster && names.empty()) names.emplace_back("None");
  put_list(names, out);
}
void grace_time(Row row, Out out) {
  if (row.qos) out += format_elapsed(row.qos->qos.grace_time.value_or(Seconds{0}));
}
void exempt_time(Row row, Out out) {
  if (row.qos && row.qos->qos.exempt_time) out += format_elapsed(*row.qos->qos.exempt_time);
}
void preempts(Row row, Out out) {
  if (row.qos) put_list(row.qos->qos.preempts, out);
}
void preempt_mode(Row row, Out out) {
  if (row.qos)
    out += row.qos->qos.preempt_mode.empty() ? "cluster" : lower(row.qos->qos.preempt_mode);
}
void usage_factor(Row row, Out out) {
  if (row.qos) put_factor(row.qos->qos.usage_factor, out);
}
void usage_threshold(Row row, Out out) {
  if (row.qos && row.qos->qos.usage_threshold) put_factor(*row.qos->qos.usage_threshold, out);
}
void limit_factor(Row row, Out out) {
  if (row.qos && row.qos->qos.limit_factor != 1) put_factor(row.qos->qos.limit_factor, out);
}

// --- clusters, events and the rest ---
void tres(Row row, Out out) {
  if (row.cluster) out += amounts_text(row.cluster->row.tres);
  else if (row.event) out += amounts_text(row.event->tres);
}
void nodes(Row row, Out out) {
  if (row.cluster) out += row.cluster->row.nodes.view();
  else if (row.event) out += row.event->node.view();
}
void cluster_nodes(Row row, Out out) {
  if (row.cluster) out += row.cluster->row.nodes.view();
  else if (row.event) out += row.event->nodes.view();
}
void node_count(Row row, Out out) {
  if (!row.cluster) return;
  if (const auto amount = amount_of(row.cluster->row.tres, "node")) put_number(*amount, out);
}
void cpu_count(Row row, Out out) {
  if (!row.cluster) return;
  if (const auto amount = amount_of(row.cluster->row.tres, "cpu")) put_number(*amount, out);
}
void start(Row row, Out out) {
  if (row.event) out += format_date(row.event->start);
  else if (row.runaway) out += format_date(row.runaway->started);
}
void end(Row row, Out out) {
  if (row.event) out += format_date(row.event->end);
  else if (row.runaway) out += format_date(row.runaway->ended);
}
void duration(Row row, Out out) {
  if (!row.event) return;
  const Time until = is_set(row.event->end) ? row.event->end : row.now;
  out += format_elapsed(std::chrono::duration_cast<Seconds>(until - row.event->start));
}
void state(Row row, Out out) {
  if (row.event) out += row.event->state.view();
  else if (row.runaway) out += row.runaway->state.view();
}
void resource_share(Row row, Out out) {
  if (row.share) put_number(row.share->second, out);
}
void resource_allowed(Row row, Out out) {
  if (!row.resource) return;
  std::uint64_t sum = 0;
  for (const auto& [where, percent] : row.resource->allowed_percent) sum += percent;
  put_number(sum, out);
}
void resource_count(Row row, Out out) {
  if (row.resource) put_number(row.resource->count, out);
}
void resource_count_allowed(Row row, Out out) {
  if (!row.resource || !row.share) return;
  put_number(std::uint64_t{row.resource->count} * row.share->second / 100, out);
}

// clang-format off
constexpr SiteField kFields[] = {
    {"Account", 3, "Account", 10, account},
    {"Acct", 4, "Account", 10, account},
    {"Action", 4, "Action", 20, [](Row r, Out o) { if (r.transaction) o += r.transaction->action.view(); }},
    {"Actor", 4, "Actor", 10, [](Row r, Out o) { if (r.transaction) o += r.transaction->actor.view(); }},
    {"AdminLevel", 2, "Admin", 9, admin_level},
    {"Allowed", 2, "% Allowed", 10, resource_share},
    {"Allocated", 7, "% Allocated", 11, resource_allowed},
    {"Classification", 3, "Class", 9, [](Row r, Out o) { if (r.cluster) o += r.cluster->row.classification.view(); }},
    {"Cluster", 2, "Cluster", 10, cluster},
    {"ClusterNodes", 8, "Cluster Nodes", 20, cluster_nodes},
    {"Coordinators", 2, "Coord Accounts", 20, coordinators},
    {"ControlHost", 8, "ControlHost", 15, [](Row r, Out o) { if (r.cluster) o += r.cluster->row.control_host.view(); }},
    {"ControlPort", 8, "ControlPort", 12, [](Row r, Out o) { if (r.cluster) put_number(r.cluster->row.control_port, o); }},
    {"Count", 3, "Count", 6, resource_count},
    {"CountAllowed", 6, "# Allowed", 10, resource_count_allowed},
    {"CPUCount", 2, "CPU Cnt", 7, cpu_count},
    {"DefaultAccount", 8, "Def Acct", 10, default_account},
    {"DefaultQOS", 8, "Def QOS", 9, default_qos},
    {"DefaultWCKey", 8, "Def WCKey", 10, default_wckey},
    {"Description", 3, "Descr", 20, description},
    {"Duration", 2, "Duration", 13, duration},
    {"End", 2, "TimeEnd", 19, end},
    {"Event", 2, "Event", 7, [](Row r, Out o) { if (r.event) o += r.event->node.empty() ? "Cluster" : "Node"; }},
    {"EventRaw", 6, "EventRaw", 8, [](Row r, Out o) { if (r.event) o += r.event->node.empty() ? "1" : "2"; }},
    {"Fairshare", 2, "Share", 9, shares},
    {"Features", 3, "Features", 20, [](Row r, Out o) { if (r.cluster) put_list(r.cluster->row.features, o); }},
    {"Federation", 3, "Federation", 10, [](Row, Out) {}},
    {"FedState", 4, "FedState", 12, [](Row r, Out o) { if (r.cluster) o += "NA"; }},
    {"FedStateRaw", 9, "FedStateRaw", 11, [](Row r, Out o) { if (r.cluster) o += '0'; }},
    {"Flags", 2, "Flags", 20, flags},
    {"GraceTime", 3, "GraceTime", 10, grace_time},
    {"GrpCPUs", 6, "GrpCPUs", 8, one<kCpu, &L::group, &S::tres>},
    {"GrpCPUMins", 7, "GrpCPUMins", 11, one<kCpu, &L::group, &S::past_minutes>},
    {"GrpCPURunMins", 7, "GrpCPURunMins", 13, one<kCpu, &L::group, &S::run_minutes>},
    {"GrpJobs", 4, "GrpJobs", 7, count<&L::group, &S::jobs>},
    {"GrpJobsAccrue", 8, "GrpJobsAccrue", 13, count<&L::group, &S::accruing>},
    {"GrpMemory", 4, "GrpMem", 7, one<kMemory, &L::group, &S::tres>},
    {"GrpNodes", 4, "GrpNodes", 8, one<kNode, &L::group, &S::tres>},
    {"GrpSubmitJobs", 4, "GrpSubmit", 9, count<&L::group, &S::submitted>},
    {"GrpTRES", 7, "GrpTRES", 13, amounts<&L::group, &S::tres>},
    {"GrpTRESMins", 8, "GrpTRESMins", 13, amounts<&L::group, &S::past_minutes>},
    {"GrpTRESRunMins", 8, "GrpTRESRunMins", 13, amounts<&L::group, &S::run_minutes>},
    {"GrpWall", 4, "GrpWall", 11, limit<&L::group, &S::wall>},
    {"ID", 2, "ID", 6, id},
    {"Info", 2, "Info", 20, [](Row r, Out o) { if (r.transaction) o += r.transaction->info.view(); }},
    {"LFT", 1, "LFT", 6, left},
    {"LimitFactor", 6, "LimitFactor", 11, limit_factor},
    {"MaxCPUMinsPerJob", 7, "MaxCPUMins", 11, one<kCpu, &L::max_minutes_per_job>},
    {"MaxCPUsPerJob", 7, "MaxCPUs", 8, one<kCpu, &L::max_per_job>},
    {"MaxCPUsPerUser", 11, "MaxCPUsPU", 9, one<kCpu, &L::per_user, &S::tres>},
    {"MaxCPUsPU", 9, "MaxCPUsPU", 9, one<kCpu, &L::per_user, &S::tres>},
    {"MaxJobs", 4, "MaxJobs", 7, count<&L::per_user, &S::jobs>},
    {"MaxJobsAccrue", 8, "MaxJobsAccrue", 13, count<&L::per_user, &S::accruing>},
    {"MaxJobsPerUser", 11, "MaxJobsPU", 9, count<&L::per_user, &S::jobs>},
    {"MaxJobsPU", 9, "MaxJobsPU", 9, count<&L::per_user, &S::jobs>},
    {"MaxJobsPerAccount", 11, "MaxJobsPA", 9, count<&L::per_account, &S::jobs>},
    {"MaxJobsPA", 9, "MaxJobsPA", 9, count<&L::per_account, &S::jobs>},
    {"MaxJobsAccruePerUser", 17, "MaxJobsAccruePU", 15, count<&L::per_user, &S::accruing>},
    {"MaxJobsAccruePU", 15, "MaxJobsAccruePU", 15, count<&L::per_user, &S::accruing>},
    {"MaxJobsAccruePerAccount", 17, "MaxJobsAccruePA", 15, count<&L::per_account, &S::accruing>},
    {"MaxJobsAccruePA", 15, "MaxJobsAccruePA", 15, count<&L::per_account, &S::accruing>},
    {"MaxNodesPerJob", 4, "MaxNodes", 8, one<kNode, &L::max_per_job>},
    {"MaxNodesPerUser", 12, "MaxNodesPU", 10, one<kNode, &L::per_user, &S::tres>},
    {"MaxNodesPU", 10, "MaxNodesPU", 10, one<kNode, &L::per_user, &S::tres>},
    {"MaxSubmitJobs", 4, "MaxSubmit", 9, count<&L::per_user, &S::submitted>},
    {"MaxSubmitJobsPerUser", 14, "MaxSubmitPU", 11, count<&L::per_user, &S::submitted>},
    {"MaxSubmitJobsPU", 14, "MaxSubmitPU", 11, count<&L::per_user, &S::submitted>},
    {"MaxSubmitPU", 10, "MaxSubmitPU", 11, count<&L::per_user, &S::submitted>},
    {"MaxSubmitJobsPerAccount", 17, "MaxSubmitPA", 11, count<&L::per_account, &S::submitted>},
    {"MaxSubmitJobsPA", 15, "MaxSubmitPA", 11, count<&L::per_account, &S::submitted>},
    {"MaxSubmitPA", 11, "MaxSubmitPA", 11, count<&L::per_account, &S::submitted>},
    {"MaxTRES", 7, "MaxTRES", 13, amounts<&L::max_per_job>},
    {"MaxTRESPerJob", 11, "MaxTRES", 13, amounts<&L::max_per_job>},
    {"MaxTRESPerUser", 11, "MaxTRESPU", 13, amounts<&L::per_user, &S::tres>},
    {"MaxTRESPU", 9, "MaxTRESPU", 13, amounts<&L::per_user, &S::tres>},
    {"MaxTRESPerAccount", 11, "MaxTRESPA", 13, amounts<&L::per_account, &S::tres>},
    {"MaxTRESPA", 9, "MaxTRESPA", 13, amounts<&L::per_account, &S::tres>},
    {"MaxTRESPerNode", 11, "MaxTRESPerNode", 14, amounts<&L::max_per_node>},
    {"MaxTRESMinsPerJob", 8, "MaxTRESMins", 13, amounts<&L::max_minutes_per_job>},
    {"MaxWallDurationPerJob", 4, "MaxWall", 11, limit<&L::max_wall>},
    {"MinCPUs", 7, "MinCPUs", 8, one<kCpu, &L::min_per_job>},
    {"MinPrioThreshold", 4, "MinPrioThres", 12, min_priority},
    {"MinTRESPerJob", 7, "MinTRES", 13, amounts<&L::min_per_job>},
    {"Name", 2, "Name", 10, name},
    {"NodeCount", 5, "NodeCount", 9, node_count},
    {"NodeNames", 5, "NodeName", 15, nodes},
    {"Organization", 1, "Org", 20, [](Row r, Out o) { if (r.account) o += r.account->organization.view(); }},
    {"ParentID", 7, "ParentID", 8, parent_id},
    {"ParentName", 7, "ParentName", 10, parent_name},
    {"Partition", 4, "Partition", 10, partition},
    {"PluginIDSelect", 2, "PluginIDSelect", 14, [](Row r, Out o) { if (r.cluster) o += "109"; }},
    {"PreemptMode", 8, "PreemptMode", 11, preempt_mode},
    {"PreemptExemptTime", 8, "PreemptExemptTime", 19, exempt_time},
    {"Preempt", 7, "Preempt", 10, preempts},
    {"Priority", 3, "Priority", 10, priority},
    {"Problem", 1, "Problem", 40, [](Row r, Out o) { if (r.problem) o += r.problem->problem.view(); }},
    {"QOSLevel", 3, "QOS", 20, qos_list},
    {"QOSRAWLevel", 4, "QOS_RAW", 10, qos_numbers},
    {"Reason", 1, "Reason", 30, [](Row r, Out o) { if (r.event) o += r.event->reason.view(); }},
    {"RGT", 2, "RGT", 6, right},
    {"RPC", 2, "RPC", 5, [](Row r, Out o) { if (r.cluster) put_number(r.cluster->row.rpc_version, o); }},
    {"Share", 1, "Share", 9, shares},
    {"Server", 3, "Server", 10, [](Row r, Out o) { if (r.resource) o += r.resource->server.view(); }},
    {"ServerType", 10, "ServerType", 10, [](Row r, Out o) { if (r.resource) o += r.resource->server_type.view(); }},
    {"State", 2, "State", 6, state},
    {"Start", 4, "TimeStart", 19, start},
    {"TimeStamp", 2, "Time", 19, [](Row r, Out o) { if (r.transaction) o += format_date(r.transaction->at); }},
    {"TimeEnd", 6, "TimeEnd", 19, end},
    {"TimeStart", 8, "TimeStart", 19, start},
    {"TimeSubmit", 6, "TimeSubmit", 19, [](Row r, Out o) { if (r.runaway) o += format_date(r.runaway->submitted); }},
    {"TRES", 2, "TRES", 20, tres},
    {"Type", 2, "Type", 8, kind},
    {"UnusedWall", 2, "UnusedWall", 10, [](Row, Out) {}},
    {"UsageFactor", 6, "UsageFactor", 11, usage_factor},
    {"UsageThreshold", 6, "UsageThres", 10, usage_threshold},
    {"User", 1, "User", 10, user},
    {"WCKeys", 2, "WCKey", 10, [](Row r, Out o) { if (r.wckey) o.append(r.wckey->is_default ? "*" : "").append(r.wckey->name.view()); }},
    {"Where", 2, "Where", 20, [](Row r, Out o) { if (r.transaction) o += r.transaction->where.view(); }},
};
// clang-format on

const SiteField* find_field(std::string_view word) {
  for (const SiteField& field : kFields)
    if (iequals(field.word, word)) return &field;
  for (const SiteField& field : kFields)
    if (is_short_for(word, field.word, field.least)) return &field;
  return nullptr;
}

constexpr int kWidest = 100'000;

// The number after the percent sign; 0 where there is none that counts.
int read_width(std::string_view text) {
  return std::clamp(parse_number<int>(text).value_or(0), -kWidest, kWidest);
}

constexpr int kTreeWidth = -20;

}  // namespace

std::expected<SiteColumns, std::string> read_site_columns(std::string_view format, bool tree) {
  SiteColumns columns;
  for (std::string_view part : split(format, ',')) {
    if (part.empty() && !columns.empty()) continue;
    const auto percent = part.find('%');
    const std::string_view word = part.substr(0, percent);
    const SiteField* field = find_field(word);
    if (!field) return std::unexpected(fmt::format("Unknown field '{}'\n", lower(word)));
    int width = percent == part.npos ? 0 : read_width(part.substr(percent + 1));
    if (width == 0) width = tree && field->append == account ? kTreeWidth : field->width;
    columns.push_back({field, width});
  }
  return columns;
}

std::string usual_site_format(const SiteLine& line) {
  const bool with_associations = line.request.with_associations;
  const bool own_columns = line.has(ShowFlag::no_limits);
  std::string format;
  switch (line.request.entity) {
    case Entity::association:
      format = "Cluster,Account,User,Partition";
      if (!own_columns && !line.has(ShowFlag::own_limits))
        format +=
            ",Share,Priority,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,MaxJobs,MaxTRES,"
            "MaxTRESPerNode,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS,GrpTRESRunMins";
      return format;
    case Entity::account:
      format = "Account,Descr,Org";
      if (with_associations)
        format +=
            ",Cluster,ParentName,User,Share,Priority,GrpJobs,GrpNodes,GrpCPUs,GrpMem,GrpSubmit,"
            "GrpWall,GrpCPUMins,MaxJobs,MaxNodes,MaxCPUs,MaxSubmit,MaxWall,MaxCPUMins,QOS,"
            "DefaultQOS";
      if (line.request.with_coordinators) format += ",Coord";
      return format;
    case Entity::user:
      format = "User,DefaultAccount,Admin";
      if (line.request.with_coordinators) format += ",Coord";
      if (with_associations)
        format +=
            ",Cluster,Account,Partition,Share,Priority,MaxJobs,MaxNodes,MaxCPUs,MaxSubmit,"
            "MaxWall,MaxCPUMins,QOS,DefaultQOS";
      return format;
    case Entity::qos:
      return "Name,Priority,GraceTime,Preempt,PreemptExemptTime,PreemptMode,Flags%40,UsageThres,"
             "UsageFactor,GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpJobs,GrpSubmit,GrpWall,MaxTRES,"
             "MaxTRESPerNode,MaxTRESMins,MaxWall,MaxTRESPU,MaxJobsPU,MaxSubmitPU,MaxTRESPA,"
             "MaxJobsPA,MaxSubmitPA,MinTRES";
    case Entity::cluster:
      format = "Cluster,ControlHost,ControlPort,RPC";
      if (!own_columns)
        format +=
            ",Share,GrpJobs,GrpTRES,GrpSubmit,MaxJobs,MaxTRES,MaxSubmit,MaxWall,QOS,DefaultQOS";
      if (line.has(ShowFlag::federation)) format += ",Federation,ID,Features,FedState";
      return format;
    case Entity::tres:
      return "Type,Name%15,ID";
    case Entity::event:
      return "Cluster,NodeName,TimeStart,TimeEnd,State,Reason,User";
    case Entity::transaction:
      format = "Time,Action,Actor,Where,Info";
      if (with_associations) format += ",User,Account,Cluster";
      return format;
    case Entity::reservation:
      return "Cluster,Name%15,TRES%30,TimeStart,TimeEnd,UnusedWall";
    case Entity::resource:
      format = "Name,Server,Type,Count,Allocated,ServerType";
      if (line.has(ShowFlag::of_clusters)) format += ",Cluster,Allowed";
      return format;
    case Entity::problem:
      return "Cluster,Account,User,Problem";
    case Entity::wckey:
      return "WCKey,Cluster,User";
    case Entity::runaway_job:
      return "ID,Name,Partition,Cluster,State,TimeStart,TimeEnd";
    default:
      return "Name";
  }
}

}  // namespace muster::cli
