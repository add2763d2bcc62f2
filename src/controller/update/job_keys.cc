// Keys of scontrol update job: times, priority, names, ownership.
#include "controller/update/job_keys.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "controller/effects/mail.h"
#include "controller/submit/membership.h"
#include "controller/submit/partition_choice.h"
#include "controller/submit/request_check.h"
#include "model/job/mail_type.h"
#include "sched/gate/dependency.h"
#include "sched/priority/priority.h"
#include "sched/request/time_limit.h"

namespace muster::controller {

namespace {

// The highest limit that a user may set.
Minutes most_for_users(const JobDraft& d) {
  if (d.job.state != JobState::pending) return d.job.time_limit;
  const Partition* partition = d.cluster.find_partition(first_of(d.after.partitions));
  return partition && partition->max_time ? *partition->max_time : kUnlimited;
}

Result<void> exceeded_by_time_min() { return fail(ErrorCode::invalid_time_min); }

Result<void> set_time_limit(JobDraft& d, std::string_view value) {
  const auto change = wire::parse_time_limit_change(value);
  if (!change) return fail(ErrorCode::invalid_time_limit);
  const Minutes result = change->applied_to(d.job.time_limit);
  if (result < Minutes{0})
    return fail(fmt::format("TimeLimit decrement larger than current time limit ({} > {})",
                            change->by.count(), d.job.time_limit.count()));
  if (!d.by_operator && result > most_for_users(d)) return fail(ErrorCode::access_denied);
  if (d.spec.time_min && *d.spec.time_min > result) return exceeded_by_time_min();
  d.spec.time_limit = result;
  d.spec.time_limit_granted |= d.by_operator;
  d.after.time_limit = result;
  return {};
}

// Only for running jobs; the new limit is rounded up to whole minutes.
Result<void> set_end(JobDraft& d, std::string_view value) {
  if (d.job.state != JobState::running) return fail(ErrorCode::job_not_running);
  auto end = parse_date(value, d.now);
  if (!end || *end < d.now) return fail(ErrorCode::invalid_time);
  auto limit = std::chrono::ceil<Minutes>(*end - d.job.run->started);
  if (!d.by_operator && limit > d.job.time_limit) return fail(ErrorCode::access_denied);
  d.spec.time_limit = d.after.time_limit = limit;
  return {};
}

Result<void> set_time_min(JobDraft& d, std::string_view value) {
  auto least = parse_time_limit(value);
  if (!least) return bad_value();
  if (*least > d.after.time_limit) return exceeded_by_time_min();
  d.spec.time_min = *least == Minutes{0} ? std::nullopt : std::optional(*least);
  return {};
}

Result<void> set_priority(JobDraft& d, std::string_view value) {
  auto priority = parse_number<std::uint32_t>(value);
  if (!priority) return bad_value();
  if (*priority == 0) return {};  // means a hold: see update_job
  if (d.job.hold != Hold::none) return fail(ErrorCode::job_held);
  if (!d.by_operator && *priority > d.job.priority) return fail(ErrorCode::access_denied);
  if (!d.by_operator) return fail(ErrorCode::priority_not_persistent);
  d.spec.priority = *priority;
  d.spec.nice = 0;  // the new priority includes it
  d.after.priority = *priority;
  d.after.priority_fixed = true;
  return {};
}

Result<void> set_nice(JobDraft& d, std::string_view value) {
  auto nice = value.empty() ? std::optional<std::int32_t>(100) : parse_number<std::int32_t>(value);
  if (!nice) return bad_value();
  if (*nice < 0 && !d.by_operator) return fail(ErrorCode::access_denied);
  // Unlike at submission, the base is the job's present priority.
  if (!d.after.priority_fixed && d.job.hold == Hold::none)
    d.after.priority = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
        std::int64_t{d.after.priority} + d.spec.nice - *nice, 1, 4294967294));
  d.spec.nice = *nice;
  return {};
}

Result<void> set_site_factor(JobDraft& d, std::string_view value) {
  auto factor = wire::parse_site_factor(value);
  if (!factor) return bad_value();
  d.spec.site_factor = *factor;
  return {};
}

// Done in change_job, which knows since when the job's age counts.
Result<void> reset_accrual(JobDraft&, std::string_view) { return {}; }

Result<void> set_partition(JobDraft& d, std::string_view value) {
  NameList partitions(value);
  auto named = named_partitions(d.cluster, partitions);
  if (!named) return fail(ErrorCode::invalid_partition);
  d.spec.partition = d.after.partitions = std::move(partitions);
  if (!d.spec.time_limit)
    d.after.time_limit =
        sched::effective_limit(d.cluster, d.spec, {d.after.account, d.after.qos}, *named->front());
  return {};
}

Result<void> set_begin(JobDraft& d, std::string_view value) {
  auto begin = parse_date(value, d.now);
  if (!begin) return fail(ErrorCode::invalid_begin);
  d.spec.begin = *begin > d.now ? *begin : Time{};  // a begin time in the past means none
  d.after.eligible = *begin;
  return {};
}

Result<void> set_deadline(JobDraft& d, std::string_view value) {
  auto deadline = parse_date(value, d.now);
  if (!deadline) return bad_value();
  if (*deadline < d.now) return fail(ErrorCode::invalid_time);
  d.spec.deadline = *deadline;
  return {};
}

Result<void> set_dependency(JobDraft& d, std::string_view value) {
  Dependency dependency(value);
  const auto& parsed = dependency.parsed();
  if (!parsed) return fail(parsed.error());
  if (auto ok = sched::check_dependencies(d.cluster, d.job, *parsed); !ok) return ok;
  d.spec.dependency = std::move(dependency);
  return {};
}

Result<void> set_throttle(JobDraft& d, std::string_view value) {
  auto limit = parse_number<std::uint32_t>(value);
  if (!limit) return bad_value();
  if (d.job.array_id) d.after.task_limit = *limit;  // other jobs have no waiting tasks
  return {};
}

Result<void> set_mail_type(JobDraft& d, std::string_view value) {
  auto types = parse_mail_types(value);
  if (!types) return bad_value();
  d.spec.mail_type = *types;
  return {};
}

Result<void> set_mail_user(JobDraft& d, std::string_view value) {
  if (auto ok = check_mail_user(value); !ok) return ok;
  d.spec.mail_user = Text(value);
  return {};
}

Result<void> set_delay_boot(JobDraft& d, std::string_view value) {
  auto span = parse_duration(value);
  if (!span || span->count() < 0) return bad_value();
  d.spec.delay_boot_s = static_cast<std::uint32_t>(span->count());
  return {};
}

Result<void> set_account(JobDraft& d, std::string_view value) {
  if (auto ok = may_use_account(d.cluster, d.spec, Text(value), first_of(d.after.partitions)); !ok)
    return ok;
  d.spec.account = d.after.account = Text(value);
  return {};
}

Result<void> set_qos(JobDraft& d, std::string_view value) {
  // Operators may set any existing QOS.
  auto ok = d.by_operator ? is_known_qos(d.cluster, value)
                          : may_use_qos(d.cluster, d.spec, {d.after.account, Text(value)},
                                        first_of(d.after.partitions));
  if (!ok) return ok;
  d.spec.qos = d.after.qos = Text(value);
  return {};
}

Result<void> set_reservation(JobDraft& d, std::string_view value) {
  NameList reservations(value);
  for (const Text& name : reservations.parsed()) {
    const Reservation* r = d.cluster.find_reservation(name);
    if (!r) return fail(ErrorCode::invalid_reservation);
    if (!r->admits(d.spec.user_name, d.job.account)) return fail(ErrorCode::reservation_access);
  }
  d.spec.reservation = std::move(reservations);
  return {};
}

Result<void> set_burst_buffer(JobDraft&, std::string_view) { return fail(ErrorCode::unsupported); }

// Selects among jobs of the same name; see update_job.
Result<void> says_whose(JobDraft&, std::string_view) { return {}; }

constexpr JobSetter kJobSetters[] = {
    {"BurstBuffer", set_burst_buffer},
    {"Clusters", nullptr},
    {"ClusterFeatures", nullptr},
    {"DerivedExitCode", nullptr},
    {"UserID", says_whose},
    {"TimeLimit", set_time_limit},
    {"TimeMin", set_time_min},
    {"EndTime", set_end},
    {"Priority", set_priority},
    {"Nice", set_nice},
    {"SiteFactor", set_site_factor},
    {"ResetAccrueTime", reset_accrual},
    {"Partition", set_partition},
    {"Name", set_text<&JobRequest::name>},
    {"JobName", set_text<&JobRequest::name>},
    {"Comment", set_text<&JobRequest::comment>},
    {"AdminComment", set_text<&JobSpec::admin_comment>},
    {"WCKey", set_text<&JobSpec::wckey>},
    {"Account", set_account},
    {"QOS", set_qos},
    {"StartTime", set_begin},
    {"EligibleTime", set_begin},
    {"Deadline", set_deadline},
    {"Dependency", set_dependency},
    {"Requeue", set_yes_no<&JobSpec::requeue>},
    {"ArrayTaskThrottle", set_throttle},
    {"ReservationName", set_reservation},
    {"StdOut", set_text<&JobRequest::std_out>},
    {"WorkDir", set_text<&JobRequest::work_dir>},
    {"MailUser", set_mail_user},
    {"MailType", set_mail_type},
    {"DelayBoot", set_delay_boot},
};

const JobSetter* find_in(std::span<const JobSetter> setters, std::string_view name) {
  auto at = std::ranges::find(setters, name, &JobSetter::name);
  return at == setters.end() ? nullptr : &*at;
}

}  // namespace

const JobSetter* find_job_setter(std::string_view name) {
  const JobSetter* setter = find_in(kJobSetters, name);
  return setter ? setter : find_in(job_request_setters(), name);
}

Result<void> set_job_key(JobDraft& d, std::string_view name, std::string_view value) {
  const wire::UpdateKey* key = wire::find_update_key(wire::UpdateRequest::Kind::job, name);
  const JobSetter* setter = key ? find_job_setter(key->name) : nullptr;
  if (!setter || !setter->set) return fail(ErrorCode::not_supported_yet, std::string(name));
  if (key->pending_only && d.job.state != JobState::pending) return fail(ErrorCode::not_pending);
  if (key->operators_only && !d.by_operator) return fail(ErrorCode::access_denied);
  return setter->set(d, value);
}

}  // namespace muster::controller
