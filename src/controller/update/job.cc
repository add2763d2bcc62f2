// scontrol update job: finds the jobs, applies the keys, and checks that the result can still run.
#include "controller/update/update.h"

#include "base/text/strings.h"
#include "controller/jobs/ending.h"
#include "controller/jobs/notices.h"
#include "controller/jobs/select.h"
#include "controller/jobs/task_outcomes.h"
#include "controller/links/step_launches.h"
#include "controller/submit/membership.h"
#include "controller/submit/partition_choice.h"
#include "controller/submit/request_check.h"
#include "controller/submit/submissions.h"
#include "controller/update/job_keys.h"
#include "controller/update/settings_list.h"
#include "sched/place/place.h"
#include "sched/request/request.h"
#include "state/job_update.h"

namespace muster::controller {

namespace {

bool selects_job(std::string_view key) {
  return iequals(key, "JobId") || iequals(key, "Job") || iequals(key, "ArrayTaskId");
}

// The settings of a request, those of the site's script last.
struct AskedSettings {
  SettingsList all;
  std::size_t of_user = 0;
};

AskedSettings settings_for(const Job& job, const wire::UpdateRequest& request,
                           const SiteSays& says) {
  auto site = says.settings.find(job.id);
  if (site == says.settings.end()) site = says.settings.find(job.array_id);
  if (site == says.settings.end()) return {request.settings, request.settings.size()};
  AskedSettings settings;
  for (const auto& [name, value] : request.settings)
    if (std::ranges::none_of(site->second, [&](auto& each) { return iequals(each.first, name); }))
      settings.all.emplace_back(name, value);
  settings.of_user = settings.all.size();
  for (const auto& [name, value] : site->second)
    if (value) settings.all.emplace_back(name, *value);
  return settings;
}

Result<JobDraft> draft_update(const Cluster& cluster, const Job& job, const AskedSettings& settings,
                              bool by_operator, Time now) {
  JobDraft d{cluster, job, now, by_operator, job.request(), job, 0};
  for (std::size_t i = 0; i < settings.all.size(); ++i) {
    const auto& [name, value] = settings.all[i];
    if (selects_job(name)) continue;
    d.by_operator = by_operator || i >= settings.of_user;
    if (auto ok = set_job_key(d, name, value); !ok) return std::unexpected(ok.error());
  }
  if (auto ok = check_spec(cluster.settings().request_limits, d.spec); !ok)
    return std::unexpected(ok.error());
  if (auto ok = bound_times(d.spec); !ok) return std::unexpected(ok.error());
  if (job.state == JobState::pending) {
    auto named = named_partitions(cluster, d.after.partitions);
    if (!named) return fail(ErrorCode::invalid_partition);
    const Partition& partition = *named->front();
    auto request = sched::make_request(cluster, d.spec, partition);
    if (!request) return std::unexpected(request.error());
    if (auto ok = sched::feasible(cluster, *request, partition); !ok)
      return fail(ErrorCode::requested_node_config_unavailable);
  }
  d.after.take_request(std::move(d.spec));
  return d;
}

// A partition that would have refused the job at submission refuses it now. Of several partitions,
// those that admit the job remain.
Result<NameList> admitting_partitions(const Ledger& ledger, Host& host, Caller caller,
                                      const Job& after) {
  auto named = named_partitions(ledger.cluster(), after.partitions);
  if (!named) return std::unexpected(named.error());
  const Submitter who =
      submitter_of(ledger, host, caller, *after.spec, after.account, after.qos, *named);
  std::vector<Text> names;
  std::optional<Error> refusal;
  for (const Partition* partition : *named) {
    auto ok = admits(*partition, who);
    if (ok)
      names.push_back(partition->name);
    else if (!refusal)  // a user who is not admitted learns nothing else
      refusal = ok.error().code == ErrorCode::partition_unavailable
                    ? ok.error()
                    : Error{ErrorCode::partition_unavailable_now, {}};
  }
  if (names.empty()) return std::unexpected(*refusal);
  return as_name_list(names);
}

// What epilogues and administrators note about a job that has ended.
bool only_comments(const SettingsList& settings) {
  return std::ranges::all_of(settings, [](const auto& setting) {
    return iequals(setting.first, "JobId") || iequals(setting.first, "AdminComment");
  });
}

Result<void> change_job(Ledger& ledger, Host& host, StepLaunches& launches, Caller caller,
                        const Job& job, const wire::UpdateRequest& request, const SiteSays& says) {
  const Time now = ledger.now();
  const AskedSettings asked = settings_for(job, request, says);
  const SettingsList& settings = asked.all;
  if (!ledger.rights().may_manage(caller, job)) return fail(ErrorCode::user_id_missing);
  if (says.asked && !says.asked->contains(job.id) && !says.asked->contains(job.array_id))
    return fail(ErrorCode::failure,
                "the site's submit script does not know this job yet: try again");
  if (is_ended(job.state) && !only_comments(settings)) return fail(ErrorCode::job_finished);
  auto draft = draft_update(ledger.cluster(), job, asked, ledger.rights().administers(caller), now);
  if (!draft) return std::unexpected(draft.error());
  if (find_setting(settings, {"Partition"})) {
    auto admitting = admitting_partitions(ledger, host, caller, draft->after);
    if (!admitting) return std::unexpected(admitting.error());
    draft->after.partitions = std::move(*admitting);
  }
  if (auto update = job_update(job, draft->after)) {
    const bool moves_limit = update->time_limit.has_value();
    ledger.record(std::move(*update));
    const Job& changed = ledger.job(job.id);
    if (moves_limit && (is_set(changed.run->noticed) || is_set(changed.run->warned)))
      tell_stop(ledger, changed);
  }
  if (draft->keeps_nodes > 0) shrink(ledger, launches, job.id, draft->keeps_nodes);
  if (find_setting(settings, {"ResetAccrueTime"}) && is_set(job.accrues_since))
    ledger.record(JobsAccruing{.jobs = IdSet::range(job.id.value, job.id.value), .at = now});
  ledger.want_plan();
  if (find_setting(settings, {"Priority"}) != "0") return {};
  return hold(ledger, caller, ledger.job(job.id), ledger.rights().hold_by(caller));
}

}  // namespace

Result<std::vector<wire::JobRef>> jobs_to_update(const Cluster& cluster,
                                                 const wire::UpdateRequest& request) {
  auto id_text = find_setting(request.settings, {"JobId", "Job"});
  auto name = id_text ? std::nullopt : find_setting(request.settings, {"JobName", "Name"});
  std::vector<wire::JobRef> refs;
  if (id_text) {
    std::uint64_t ranges = 0;
    for (std::string_view part : split(*id_text, ',')) {
      auto ref = wire::parse_job_ref(part);
      if (!ref || refs.size() >= cluster.settings().request_limits.list_items)
        return fail(ErrorCode::invalid_job_id);
      ranges += ref->tasks.ranges().size();
      if (ranges > IdSet::kMostStrided) return fail(ErrorCode::invalid_job_id);
      refs.push_back(*ref);
    }
  } else if (name) {
    cluster.jobs.each([&](const Job& job) {
      if (job.own.name == *name && !is_ended(job.state)) refs.push_back({.job = job.id});
    });
  }
  if (refs.empty()) return fail(ErrorCode::invalid_job_id);
  return refs;
}

wire::Answer update_job(Ledger& ledger, Host& host, StepLaunches& launches, Caller caller,
                        const wire::UpdateRequest& request, const SiteSays& says) {
  auto refs = jobs_to_update(ledger.cluster(), request);
  if (!refs) return refs.error();
  const bool name = !find_setting(request.settings, {"JobId", "Job"});
  wire::CancelReply reply;
  for (const wire::JobRef& ref : *refs) {
    auto ids = resolve(ledger, caller, ref);
    if (!ids) {
      reply.errors.emplace_back(ref, ids.error());
      continue;
    }
    TaskOutcomes outcomes(ledger.cluster(), ref);
    for (JobId id : *ids) {
      const Cow<Job> job = ledger.job_as_it_is(id);
      if (ids->size() > 1 && (job->is_het() || name) && is_ended(job->state)) continue;
      outcomes.add(*job, change_job(ledger, host, launches, caller, *job, request, says));
    }
    std::move(outcomes).tell(reply);
  }
  return reply;
}

}  // namespace muster::controller
