// What a user may still use: each limit that counts for a job of the user, highest rank first.
#include <fmt/format.h>

#include "controller/submit/membership.h"
#include "controller/submit/partition_choice.h"
#include "controller/views/limits_view.h"
#include "sched/limits/limit_check.h"
#include "sched/limits/limit_sums.h"
#include "sched/priority/fair_share.h"
#include "sched/request/time_limit.h"

namespace muster::controller {

namespace {

using sched::LimitScopeKey;
using sched::LimitSource;
using sched::LimitSum;
namespace field = sched::limit_field;

double in_minutes(double seconds) { return seconds / 60; }

class Rows {
 public:
  Rows(const sched::LimitSums& sums, const std::vector<LimitSource>& sources)
      : sums_(sums), sources_(sources) {}

  std::vector<wire::BudgetRow> take() {
    for (const LimitSource& source : sources_) add_all_of(source);
    return std::move(rows_);
  }

 private:
  const LimitSum& sum_of(const LimitScopeKey& key) const {
    static const LimitSum kNothing;
    auto at = sums_.find(key);
    return at == sums_.end() ? kNothing : at->second;
  }

  void add(const LimitSource& source, std::string_view name, std::uint64_t most,
           std::optional<double> used) {
    const UsageOwner& owner = source.group.owner;
    std::string of = "QOS " + owner.qos.str();
    if (source.kind == sched::SourceKind::association) {
      const AssociationKey& key = owner.association;
      of = key.user.empty() ? "account " + key.account.str()
                            : fmt::format("{} in {}", key.user.view(), key.account.view());
    }
    rows_.push_back({Text(of), Text(name), most, used});
  }

  template <class Of>
  void add_count(const LimitSource& source, std::string_view name, Of limit,
                 std::optional<double> used) {
    const auto most = limit(*source.limits);
    if (!most) return;
    for (const LimitSource& other : higher_ranked_sources(sources_, source))
      if (limit(*other.limits)) return;  // it overrides this one
    if constexpr (requires { most->count(); })
      add(source, name, static_cast<std::uint64_t>(most->count()), used);
    else
      add(source, name, *most, used);
  }

  void add_tres(const LimitSource& source, std::string_view name, sched::TresField limit,
                const sched::Amounts* used) {
    for (const auto& [tres, most] : limit(*source.limits)) {
      if (is_set_by_higher_ranked(sources_, source, limit, tres)) continue;
      std::optional<double> amount;
      if (used) amount = static_cast<double>(sched::amount_in(*used, tres));
      add(source, fmt::format("{}={}", name, tres.view()), most, amount);
    }
  }

  void add_all_of(const LimitSource& source) {
    const bool is_qos = source.kind == sched::SourceKind::qos;
    const LimitSum &group = sum_of(source.group), &user = sum_of(source.user),
                   &account = sum_of(source.account);
    add_count(source, "GrpJobs", field::group_jobs, group.jobs);
    add_count(source, "GrpSubmitJobs", field::group_submitted, group.submitted);
    add_count(source, "GrpJobsAccrue", field::group_accruing, group.accruing);
    add_tres(source, "GrpTRES", field::group_tres, &group.tres);
    sched::Amounts past;
    for (const auto& [name, seconds] : group.past.tres_s)
      past[name] = static_cast<std::uint64_t>(in_minutes(seconds));
    add_tres(source, "GrpTRESMins", field::group_past_minutes, &past);
    add_tres(source, "GrpTRESRunMins", field::group_run_minutes, &group.run_minutes);
    add_count(source, "GrpWall", field::group_wall, in_minutes(group.past.wall_s));
    add_count(source, is_qos ? "MaxJobsPerUser" : "MaxJobs", field::user_jobs, user.jobs);
    add_count(source, is_qos ? "MaxSubmitJobsPerUser" : "MaxSubmitJobs", field::user_submitted,
              user.submitted);
    add_count(source, is_qos ? "MaxJobsAccruePerUser" : "MaxJobsAccrue", field::user_accruing,
              user.accruing);
    add_tres(source, "MaxTRESPerUser", field::user_tres, &user.tres);
    add_count(source, "MaxJobsPerAccount", field::account_jobs, account.jobs);
    add_count(source, "MaxSubmitJobsPerAccount", field::account_submitted, account.submitted);
    add_count(source, "MaxJobsAccruePerAccount", field::account_accruing, account.accruing);
    add_tres(source, "MaxTRESPerAccount", field::account_tres, &account.tres);
    add_tres(source, "MaxTRES", field::max_per_job, nullptr);
    add_tres(source, "MaxTRESPerNode", field::max_per_node, nullptr);
    add_tres(source, "MaxTRESMins", field::max_minutes_per_job, nullptr);
    add_tres(source, "MinTRES", field::min_per_job, nullptr);
    add_count(source, "MaxWall", field::max_wall, std::nullopt);
  }

  const sched::LimitSums& sums_;
  const std::vector<LimitSource>& sources_;
  std::vector<wire::BudgetRow> rows_;
};

// The smallest job of the user: one CPU, with the partition's default of memory.
Result<Job> smallest_job(const Cluster& cluster, const wire::BudgetRequest& request,
                         const Partition& partition) {
  JobRequest spec;
  spec.uid = request.uid;
  spec.user_name = request.user;
  spec.account = request.account;
  spec.qos = request.qos;
  auto membership = membership_of(cluster, spec, partition.name);
  if (!membership) return std::unexpected(membership.error());
  give_default_memory(cluster, partition, spec);
  Job job;
  job.account = membership->account;
  job.qos = membership->qos;
  job.partitions = partition.name;
  job.time_limit = sched::effective_limit(cluster, spec, {job.account, job.qos}, partition);
  job.take_request(std::move(spec));
  return job;
}

}  // namespace

Result<wire::BudgetReply> budget_reply(const Cluster& cluster, const wire::BudgetRequest& request,
                                       Time now) {
  const Partition* partition = request.partition.empty()
                                   ? cluster.default_partition()
                                   : cluster.find_partition(request.partition);
  if (!partition) return fail(ErrorCode::invalid_partition);
  auto job = smallest_job(cluster, request, *partition);
  if (!job) return std::unexpected(job.error());
  wire::BudgetReply reply{.account = job->account,
                          .qos = job->qos,
                          .partition = partition->name,
                          .refused = {},
                          .waits = {},
                          .factor = 0,
                          .counts_shares = cluster.settings().priority.multifactor,
                          .rows = {}};
  const sched::FairShares shares(cluster, now);
  reply.factor = shares.factor_of(cluster, *job);
  const sched::LimitSources limits(cluster);
  const auto sources = limits.for_job(*job, partition);
  reply.rows = Rows(sched::limit_sums(cluster, now), sources).take();
  std::vector<NodeShare> share{
      {.node = partition->nodes.empty() ? NodeId{} : partition->nodes.front(),
       .cpus = IdSet::range(0, 0),
       .memory_mib =
           job->spec->memory_per_node_mib.value_or(job->spec->memory_per_cpu_mib.value_or(0)),
       .gres = {}}};
  const Licenses none;
  const sched::PlannedRun run{&*job, partition, &share, &none, job->time_limit};
  reply.refused = sched::refused_by_limit(cluster, run, 1);
  const sched::LimitBook book(cluster, now, &shares);
  reply.waits = book.exceeded_before_placing(*job, *partition, job->time_limit).words;
  if (reply.waits.empty()) reply.waits = book.exceeded_by(run);
  return reply;
}

}  // namespace muster::controller
