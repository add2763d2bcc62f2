// Submission: checks a request against the cluster and turns it into a job.
#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "controller/core.h"
#include "controller/jobs/mail.h"
#include "controller/reservations/fit.h"
#include "controller/submit/array_request.h"
#include "controller/submit/membership.h"
#include "controller/submit/request_check.h"
#include "controller/submit/user_fields.h"
#include "sched/gate/dependency.h"
#include "sched/limits/accrual.h"
#include "sched/limits/limits.h"
#include "sched/place/place.h"
#include "sched/priority/priority.h"
#include "sched/request/features.h"
#include "sched/request/memory_rule.h"
#include "sched/request/request.h"
#include "sched/request/time_limit.h"

namespace muster::controller {

namespace {

// --batch names features that --constraint names, too.
bool is_subset_of(std::string_view features, std::string_view constraint) {
  const std::vector<Text> named = sched::features_in(constraint);
  return std::ranges::all_of(sched::features_in(features), [&](const Text& feature) {
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

}  // namespace

Result<void> Core::fits_partition(const Job& job, const Partition& p, const Submitter& who,
                                  std::vector<std::string>& warnings) {
  const JobSpec& spec = *job.spec;
  const Minutes time_limit = sched::effective_limit(cluster_, spec, p, job.qos);
  if (auto ok = admits(p, who); !ok) return ok;
  const Text& enforce = cluster_.settings().enforce_part_limits;
  const bool enforced = enforce == "ALL" || enforce == "ANY";
  if (enforced) {
    if (asks_more_cpus_than(cluster_, p, spec))
      return fail("More processors requested than permitted");
    if (auto ok = within_limits(p, spec, time_limit); !ok) return ok;
  }
  auto wanted = sched::make_request(cluster_, spec, p);
  if (!wanted) return std::unexpected(wanted.error());
  if (enforced && sched::exceeds_memory_limit(cluster_, *wanted, p))
    return fail(ErrorCode::insufficient_memory);
  if (p.nodes.empty() && wanted->required_nodes.empty()) return {};  // dynamic nodes may come
  auto ok = known_fits_.check(cluster_, *wanted, p);
  if (!ok && spec.hold) return {};  // asked again when it is released
  if (ok) {
    if (auto inside = fits_reservations(cluster_, job, *wanted, p, warnings); !inside)
      return inside;
    Text limit = sched::refused_by_limit(cluster_, {&job, &p, *ok, &wanted->licenses, time_limit},
                                         std::max<std::uint64_t>(1, job.waiting_tasks.size()));
    if (limit.empty()) return {};
    warnings.push_back(limit.str());
    return fail(ErrorCode::accounting_policy);
  }
  return std::unexpected(ok.error());
}

Submitter Core::submitter_of(Caller caller, const JobSpec& spec, const Text& account,
                             const Text& qos, const std::vector<const Partition*>& named) const {
  Submitter who{.is_operator = is_operator(caller),
                .account = account,
                .qos = qos,
                .user = spec.uid,
                .host = spec.submit_host,
                .reserved = !spec.reservation.empty()};
  if (std::ranges::any_of(named, [](const Partition* p) { return !p->allow_groups.empty(); }))
    who.groups = host_.groups_of(spec.uid);
  return who;
}

Result<Job> Core::accept(Caller caller, JobRequest spec, Time now,
                         std::vector<std::string>& warnings) {
  Job job;
  if (spec.nice < 0 && !is_operator(caller))
    return fail(ErrorCode::failure, "Invalid --nice value");
  if (!is_operator(caller) && spec.uid != caller.uid) return fail(ErrorCode::user_id_missing);
  if (spec.min_nodes == 0) return fail(ErrorCode::invalid_node_count);  // -N 0
  if (spec.reboot && !is_operator(caller)) {
    warnings.emplace_back("rebooting of nodes is only allowed for admins");
    return fail(ErrorCode::access_denied);
  }
  if (!is_operator(caller)) spec = as_user_may_say(std::move(spec));
  if (spec.priority == 0u) spec.priority.reset();  // does not hold: that is what --hold is for
  if (auto ok = tame_times(spec); !ok) return std::unexpected(ok.error());
  shorten(spec.submit_line, cluster_.settings().request_limits.text);
  if (!is_subset_of(spec.batch_features, spec.features))
    return fail("Job --batch option is invalid or not a subset of --constraints");
  auto named = named_partitions(cluster_, spec.partition);
  if (!named) return std::unexpected(named.error());
  auto membership = membership_of(cluster_, spec, named->front()->name);
  if (!membership) return std::unexpected(membership.error());
  job.account = membership->account;
  job.qos = membership->qos;
  if (spec.begin != Time{} && spec.deadline != Time{} && spec.deadline < spec.begin)
    return fail(ErrorCode::failure, "Incorrect deadline specification");
  if (spec.begin <= now) spec.begin = Time{};  // which is what it would be without
  if (is_set(spec.deadline) && spec.deadline < now) return fail(ErrorCode::invalid_time_limit);
  if (spec.time_min && ((spec.time_limit && *spec.time_min > *spec.time_limit) ||
                        (is_set(spec.deadline) && now + *spec.time_min > spec.deadline)))
    return fail("Invalid time-min specification (exceeds job's time or other limits)");
  if (spec.switches)
    spec.switches_wait = std::min(spec.switches_wait.value_or(cluster_.settings().max_switch_wait),
                                  cluster_.settings().max_switch_wait);
  if (const Text& domain = cluster_.settings().mail_domain;
      spec.mail_type != 0 && spec.mail_user.empty() && !domain.empty())
    spec.mail_user = fmt::format("{}@{}", spec.user_name.view(), domain.view());
  add_cpus_for_memory(cluster_, *named->front(), spec);
  give_default_memory(cluster_, *named->front(), spec);
  if (!cluster_.settings().spec_cores_by_jobs) {  // AllowSpecResourcesUsage
    spec.core_spec.reset();
    spec.thread_spec.reset();
  }
  if (!spec.array.empty()) {
    auto array = parse_array(spec.array, cluster_.settings());
    if (!array) return std::unexpected(array.error());
    job.waiting_tasks = std::move(array->tasks);
    job.task_limit = array->limit;
  }
  if (const auto& dependencies = spec.dependency.parsed(); !dependencies)
    return std::unexpected(dependencies.error());
  if (auto ok = check_mail_user(spec.mail_user); !ok) return std::unexpected(ok.error());
  if (!spec.reservation.empty())
    if (auto ok = may_use_reservation(spec, job.account); !ok) return std::unexpected(ok.error());
  const Submitter who = submitter_of(caller, spec, job.account, job.qos, *named);
  job.take_request(std::move(spec));
  job.submitted = now;
  // One partition that will do is enough; with none, the first one's reason is told.
  std::vector<const Partition*> chosen;
  std::optional<Error> refusal;
  for (const Partition* p : *named) {
    auto ok = fits_partition(job, *p, who, warnings);
    if (ok)
      chosen.push_back(p);
    else if (!refusal)
      refusal = ok.error();
  }
  bool all = cluster_.settings().enforce_part_limits == "ALL";
  if (chosen.empty() || (all && refusal)) return std::unexpected(*refusal);
  const Partition& p = *chosen.front();
  job.id = next_id();
  if (job.is_array_record()) job.array_id = job.id;
  std::string names;
  for (const Partition* q : chosen) names += (names.empty() ? "" : ",") + q->name.str();
  job.partition = names;
  const JobSpec& wanted = *job.spec;
  job.time_limit = sched::effective_limit(cluster_, wanted, p, job.qos);
  job.eligible = std::max(now, job.own.begin);
  job.hold = wanted.hold ? Hold::user : Hold::none;
  job.accrues_since = sched::accrues_from(cluster_, job, now);
  job.priority_fixed = wanted.priority && !wanted.hold;
  job.priority =
      wanted.hold ? 0 : wanted.priority.value_or(sched::basic_priority(job.id, wanted.nice));
  return job;
}

// The job, or the components of a heterogeneous one: with ids one after the other, and what holds
// one of them or makes the first one wait counts for all.
Result<std::vector<Job>> Core::accept_all(Caller caller, wire::SubmitRequest& request, Time now,
                                          std::vector<std::string>& warnings) {
  if (!request.spec) return fail(ErrorCode::failure, "the request holds no job");
  if (cluster_.jobs.size() + request.components.size() >= cluster_.settings().max_job_count)
    return fail(ErrorCode::too_many_jobs);
  const Dependency dependency = request.spec->dependency;
  std::vector<Job> jobs;
  auto add = [&](Cow<JobRequest>& spec) -> Result<void> {
    if (!request.components.empty() && !spec->array.empty()) return fail(ErrorCode::invalid_array);
    auto job = accept(caller, std::move(spec.edit()), now, warnings);
    if (!job) return std::unexpected(job.error());
    jobs.push_back(std::move(*job));
    return {};
  };
  if (auto ok = add(request.spec); !ok) return std::unexpected(ok.error());
  for (Cow<JobRequest>& component : request.components) {
    if (!component) return fail(ErrorCode::failure, "the request holds an empty component");
    if (component->dependency.empty()) component.edit().dependency = dependency;
    if (auto ok = add(component); !ok) return std::unexpected(ok.error());
  }
  if (jobs.size() > 1) join_components(jobs);
  return jobs;
}

// For something that no free node could give it.
bool Core::has_to_wait(const Job& job, Time now) const {
  if (job.hold != Hold::none || job.own.begin > now) return true;
  const auto& dependencies = job.own.dependency.parsed();
  return dependencies &&
         sched::fulfilment(cluster_, job, *dependencies, {}, now) != sched::Fulfilment::met;
}

void Core::take_submission(ReplyTo to, Caller caller, wire::SubmitRequest& request, Time now) {
  const bool is_allocation = request.spec && request.spec->kind == JobKind::allocation;
  answer(to, submit(caller, request, now));
  auto* reply = std::get_if<wire::SubmitReply>(&open_.replies.back().second);
  if (!reply || !is_allocation) return;
  allocation_owners_[to.connection] = reply->job;
  if (!request.first_step.empty())
    keep_first_step(to, caller, std::move(request.first_step.front()), reply->job);
}

wire::Answer Core::submit(Caller caller, wire::SubmitRequest& request, Time now) {
  wire::SubmitReply reply;
  const bool asks_for_cores = request.spec && request.spec->core_spec;
  const bool asks_for_threads = request.spec && request.spec->thread_spec;
  auto jobs = accept_all(caller, request, now, reply.warnings);
  if (!jobs) return refusal(jobs.error(), reply.warnings);
  const Job& first = jobs->front();
  reply.job = first.id;
  if (asks_for_cores != first.spec->core_spec.has_value() ||
      asks_for_threads != first.spec->thread_spec.has_value())
    reply.warnings.push_back(
        fmt::format("error: Ignoring {} since it's not allowed by configuration "
                    "(AllowSpecResourcesUsage = No)",
                    asks_for_cores ? "-S" : "--thread-spec"));
  if (first.spec->kind == JobKind::allocation) {
    const std::string_view why =
        fits_limits_of_partition(first) ? obstacle(cluster_, first) : kBeyondPartition;
    if (!why.empty()) reply.warnings.emplace_back(why);
  }
  auto keep = [&](const Text& hash, std::string& bytes) {
    if (!hash.empty()) open_.blobs.emplace_back(hash.str(), std::move(bytes));
  };
  keep(first.own.script_blob, request.script);
  keep(first.own.environment_blob, request.environment);
  // A plan would not look at a job that is held.
  if (first.hold == Hold::none) want_plan();
  for (Job& job : *jobs) {
    shared_parts_.share(job);
    record(JobSubmitted{std::move(job)});
  }
  return reply;
}

Error Core::refusal(Error error, const std::vector<std::string>& warnings) {
  if (error.code == ErrorCode::invalid_partition)
    error.detail = "invalid partition specified: " + error.detail;
  else if (!warnings.empty())
    error.detail = warnings.front();
  return error;
}

bool Core::fits_limits_of_partition(const Job& job) const {
  const auto names = split(job.partition.view(), ',');
  return std::ranges::any_of(names, [&](std::string_view name) {
    const Partition* partition = cluster_.find_partition(name);
    return partition &&
           within_limits(*partition, *job.spec, sched::limit_in(cluster_, job, *partition));
  });
}

}  // namespace muster::controller
