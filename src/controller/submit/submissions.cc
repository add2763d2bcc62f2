// Checks submitted requests, fills in defaults, and records the jobs.
#include "controller/submit/submissions.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "controller/effects/mail.h"
#include "controller/submit/array_request.h"
#include "controller/submit/membership.h"
#include "controller/submit/request_check.h"
#include "controller/submit/reservation_fit.h"
#include "controller/submit/user_fields.h"
#include "sched/gate/dependency.h"
#include "sched/limits/accrual.h"
#include "sched/limits/limits.h"
#include "sched/place/place.h"
#include "sched/priority/priority.h"
#include "sched/request/memory_rule.h"
#include "sched/request/request.h"
#include "sched/request/time_limit.h"

namespace muster::controller {

namespace {

// --batch may only name features that --constraint names too.
bool is_subset_of(const FeatureExpression& features, const FeatureExpression& constraint) {
  if (!features.parsed()) return false;
  const std::vector<Text> named = features_in(constraint_in(constraint));
  return std::ranges::all_of(features_in(*features.parsed()), [&](const Text& feature) {
    return std::ranges::find(named, feature) != named.end();
  });
}

void join_components(std::vector<Job>& jobs) {
  const JobId first = jobs.front().id;
  Hold hold = Hold::none;
  for (const Job& job : jobs) hold = std::max(hold, job.hold);
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    Job& job = jobs[i];
    job.id = JobId{first.value + i};
    job.het_id = first;
    job.het_offset = i;
    job.het_size = static_cast<std::uint32_t>(jobs.size());
    job.hold = hold;
    if (hold != Hold::none) {
      job.priority = 0;
      job.accrues_since = Time{};
    } else if (!job.priority_fixed) {
      job.priority = sched::basic_priority(job.id, job.spec->nice);
    }
  }
}

Result<void> check_times(JobRequest& spec, Time now) {
  if (spec.begin != Time{} && spec.deadline != Time{} && spec.deadline < spec.begin)
    return fail(ErrorCode::failure, "Incorrect deadline specification");
  if (spec.begin <= now) spec.begin = Time{};  // a begin time in the past means none
  if (is_set(spec.deadline) && spec.deadline < now) return fail(ErrorCode::invalid_time_limit);
  if (spec.time_min && ((spec.time_limit && *spec.time_min > *spec.time_limit) ||
                        (is_set(spec.deadline) && now + *spec.time_min > spec.deadline)))
    return fail(ErrorCode::invalid_time_min);
  return {};
}

// Adds the defaults of the configuration to a request.
void give_defaults(const Cluster& cluster, const Partition& first, JobRequest& spec) {
  const Settings& settings = cluster.settings();
  if (spec.switches)
    spec.switches_wait =
        std::min(spec.switches_wait.value_or(settings.max_switch_wait), settings.max_switch_wait);
  if (const Text& domain = settings.mail_domain;
      spec.mail_type != 0 && spec.mail_user.empty() && !domain.empty())
    spec.mail_user = fmt::format("{}@{}", spec.user_name.view(), domain.view());
  add_cpus_for_memory(cluster, first, spec);
  give_default_memory(cluster, first, spec);
  if (!settings.spec_cores_by_jobs) {  // AllowSpecResourcesUsage
    spec.core_spec.reset();
    spec.thread_spec.reset();
  }
}

// Sets the job's id, its partitions, and its place in the queue.
void put_into_queue(const Cluster& cluster, const std::vector<const Partition*>& partitions,
                    Time now, Job& job) {
  job.id = cluster.next_job_id;
  if (job.is_array_record()) job.array_id = job.id;
  std::vector<Text> names;
  for (const Partition* partition : partitions) names.push_back(partition->name);
  job.partitions = as_name_list(names);
  const JobSpec& wanted = *job.spec;
  job.time_limit = sched::effective_limit(cluster, wanted, *partitions.front(), job.qos);
  job.eligible = std::max(now, job.own.begin);
  job.hold = wanted.hold ? Hold::user : Hold::none;
  job.accrues_since = sched::accrues_from(cluster, job, now);
  job.priority_fixed = wanted.priority && !wanted.hold;
  job.priority =
      wanted.hold ? 0 : wanted.priority.value_or(sched::basic_priority(job.id, wanted.nice));
}

}  // namespace

Result<void> may_ask_for(const JobRequest& spec, const Caller& caller, bool by_operator) {
  if (spec.nice < 0 && !by_operator) return fail(ErrorCode::invalid_nice);
  if (!by_operator && spec.uid != caller.uid) return fail(ErrorCode::user_id_missing);
  if (spec.min_nodes == 0) return fail(ErrorCode::invalid_node_count);  // -N 0
  if (spec.reboot && !by_operator)
    return fail(ErrorCode::access_denied, "rebooting of nodes is only allowed for admins");
  return {};
}

Result<void> Submissions::fits_partition(const Job& job, const Partition& p, const Submitter& who) {
  const JobSpec& spec = *job.spec;
  const Minutes time_limit = sched::effective_limit(ledger_.cluster(), spec, p, job.qos);
  if (auto ok = admits(p, who); !ok) return ok;
  const Text& enforce = ledger_.settings().enforce_part_limits;
  const bool enforced = enforce == "ALL" || enforce == "ANY";
  if (enforced) {
    if (asks_more_cpus_than(ledger_.cluster(), p, spec)) return fail(ErrorCode::too_many_cpus);
    if (auto ok = within_limits(p, spec, time_limit); !ok) return ok;
  }
  auto wanted = sched::make_request(ledger_.cluster(), spec, p);
  if (!wanted) return std::unexpected(wanted.error());
  if (enforced && sched::exceeds_memory_limit(ledger_.cluster(), *wanted, p))
    return fail(ErrorCode::insufficient_memory);
  if (p.nodes.empty() && wanted->required_nodes.empty()) return {};  // dynamic nodes may be added
  if (std::exchange(feasible_version_, ledger_.nodes_version()) != ledger_.nodes_version())
    feasibility_.forget();
  auto ok = feasibility_.check(ledger_.cluster(), *wanted, p);
  if (!ok && spec.hold) return {};  // checked again when it is released
  if (ok) {
    if (auto inside = fits_reservations(ledger_.cluster(), job, *wanted, p); !inside) return inside;
    Text limit =
        sched::refused_by_limit(ledger_.cluster(), {&job, &p, *ok, &wanted->licenses, time_limit},
                                std::max<std::uint64_t>(1, job.waiting_tasks.size()));
    if (limit.empty()) return {};
    return fail(ErrorCode::accounting_policy, limit.str());
  }
  return std::unexpected(ok.error());
}

Submitter submitter_of(const Ledger& ledger, Host& host, Caller caller, const JobSpec& spec,
                       const Text& account, const Text& qos,
                       const std::vector<const Partition*>& named) {
  Submitter who{.is_operator = ledger.authority().is_operator(caller),
                .account = account,
                .qos = qos,
                .user = spec.uid,
                .host = spec.submit_host,
                .reserved = !spec.reservation.empty()};
  if (std::ranges::any_of(named, [](const Partition* p) { return !p->allow_groups.empty(); }))
    who.groups = host.groups_of(spec.uid);
  return who;
}

Result<Job> Submissions::accept(Caller caller, JobRequest spec, bool vetted) {
  const Time now = ledger_.now();
  const Cluster& cluster = ledger_.cluster();
  const bool by_operator = ledger_.authority().is_operator(caller);
  if (!by_operator && spec.uid != caller.uid) return fail(ErrorCode::user_id_missing);
  if (auto ok = may_ask_for(spec, caller, by_operator || vetted); !ok)
    return std::unexpected(ok.error());
  if (!by_operator && !vetted) spec = as_user_may_say(std::move(spec));
  // Priority 0 does not hold a job here; --hold does.
  if (spec.priority == 0u) spec.priority.reset();
  if (auto ok = bound_times(spec); !ok) return std::unexpected(ok.error());
  shorten(spec.submit_line, ledger_.settings().request_limits.text);
  if (!is_subset_of(spec.batch_features, spec.features))
    return fail(ErrorCode::invalid_batch_features);
  auto named = named_partitions(cluster, spec.partition);
  if (!named) return std::unexpected(named.error());
  auto membership = membership_of(cluster, spec, named->front()->name);
  if (!membership) return std::unexpected(membership.error());
  if (auto ok = settle_wckey(cluster, spec); !ok) return std::unexpected(ok.error());
  Job job;
  job.account = membership->account;
  job.qos = membership->qos;
  if (auto ok = check_times(spec, now); !ok) return std::unexpected(ok.error());
  give_defaults(cluster, *named->front(), spec);
  if (!spec.array.empty()) {
    auto array = parse_array(spec.array, ledger_.settings());
    if (!array) return std::unexpected(array.error());
    job.waiting_tasks = std::move(array->tasks);
    job.task_limit = array->limit;
  }
  if (const auto& dependencies = spec.dependency.parsed(); !dependencies)
    return fail(dependencies.error());
  if (auto ok = check_mail_user(spec.mail_user); !ok) return std::unexpected(ok.error());
  if (!spec.reservation.empty())
    if (auto ok = may_use_reservation(cluster, spec, job.account); !ok)
      return std::unexpected(ok.error());
  const Submitter who = submitter_of(ledger_, host_, caller, spec, job.account, job.qos, *named);
  job.take_request(std::move(spec));
  job.submitted = now;
  // One partition that admits the job is enough. If none does, the error is the first one's.
  std::vector<const Partition*> chosen;
  std::optional<Error> refusal;
  for (const Partition* p : *named) {
    auto ok = fits_partition(job, *p, who);
    if (ok)
      chosen.push_back(p);
    else if (!refusal)
      refusal = ok.error();
  }
  bool all = ledger_.settings().enforce_part_limits == "ALL";
  if (chosen.empty() || (all && refusal)) return std::unexpected(*refusal);
  put_into_queue(cluster, chosen, now, job);
  return job;
}

Result<std::vector<Job>> Submissions::accept_all(Caller caller, wire::SubmitRequest& request,
                                                 bool vetted) {
  if (!request.spec) return fail(ErrorCode::failure, "the request contains no job");
  if (ledger_.cluster().jobs.size() + request.components.size() >= ledger_.settings().max_job_count)
    return fail(ErrorCode::too_many_jobs);
  const Dependency dependency = request.spec->dependency;
  std::vector<Job> jobs;
  auto add = [&](Cow<JobRequest>& spec) -> Result<void> {
    if (!request.components.empty() && !spec->array.empty()) return fail(ErrorCode::invalid_array);
    auto job = accept(caller, std::move(spec.edit()), vetted);
    if (!job) return std::unexpected(job.error());
    jobs.push_back(std::move(*job));
    return {};
  };
  if (auto ok = add(request.spec); !ok) return std::unexpected(ok.error());
  for (Cow<JobRequest>& component : request.components) {
    if (!component) return fail(ErrorCode::failure, "the request contains an empty component");
    if (component->dependency.empty()) component.edit().dependency = dependency;
    if (auto ok = add(component); !ok) return std::unexpected(ok.error());
  }
  if (jobs.size() > 1) join_components(jobs);
  return jobs;
}

bool fits_limits_of_partition(const Cluster& cluster, const Job& job) {
  return std::ranges::any_of(job.partitions.parsed(), [&](const Text& name) {
    const Partition* partition = cluster.find_partition(name);
    return partition &&
           within_limits(*partition, *job.spec, sched::limit_in(cluster, job, *partition));
  });
}

wire::Answer Submissions::submit(Caller caller, wire::SubmitRequest& request, bool vetted) {
  wire::SubmitReply reply;
  const bool asks_for_cores = request.spec && request.spec->core_spec;
  const bool asks_for_threads = request.spec && request.spec->thread_spec;
  auto jobs = accept_all(caller, request, vetted);
  if (!jobs) return jobs.error();
  const Job& first = jobs->front();
  reply.job = first.id;
  if (asks_for_cores != first.spec->core_spec.has_value() ||
      asks_for_threads != first.spec->thread_spec.has_value())
    reply.warnings.push_back(
        fmt::format("error: Ignoring {} since it's not allowed by configuration "
                    "(AllowSpecResourcesUsage = No)",
                    asks_for_cores ? "-S" : "--thread-spec"));
  if (first.spec->kind == JobKind::allocation) {
    const ErrorCode why = fits_limits_of_partition(ledger_.cluster(), first)
                              ? obstacle(ledger_.cluster(), first)
                              : ErrorCode::partition_unavailable_now;
    if (why != ErrorCode::no_error) reply.warnings.emplace_back(error_text(why));
  }
  auto keep = [&](const Text& hash, std::string& bytes) {
    if (!hash.empty()) ledger_.keep_blob(hash.str(), std::move(bytes));
  };
  keep(first.own.script_blob, request.script);
  keep(first.own.environment_blob, request.environment);
  // Plans do not look at held jobs.
  if (first.hold == Hold::none) ledger_.want_plan();
  for (Job& job : *jobs) {
    shared_parts_.share(job);
    ledger_.record(JobSubmitted{std::move(job)});
  }
  return reply;
}

}  // namespace muster::controller
