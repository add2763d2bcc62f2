// The table of fields, and what each entity shows of it without being told.
#include "cli/sacctmgr/fields.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/strings.h"
#include "cli/sacctmgr/field_getters.h"

namespace muster::cli {

namespace {

using namespace getters;
using wire::Entity;
using L = Limits;
using S = SharedLimits;

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

}  // namespace muster::cli
