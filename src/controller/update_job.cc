// scontrol update job: each key is one row of a table.
#include <algorithm>

#include "base/date.h"
#include "base/duration.h"
#include "base/size.h"
#include "controller/core.h"
#include "controller/membership.h"
#include "controller/settings_list.h"
#include "controller/task_outcomes.h"
#include "model/mail_type.h"
#include "sched/dependency.h"
#include "sched/place.h"
#include "sched/priority.h"
#include "sched/request.h"

namespace muster::controller {

namespace {

// The job as it will be; JobUpdated carries it.
struct Draft {
  const Cluster& cluster;
  const Job& job;
  Time now;
  bool by_operator;
  JobSpec spec;
  JobUpdated event;
};

struct Key {
  std::string_view name;
  bool pending_only;
  Result<void> (*set)(Draft&, std::string_view value);
};

Result<void> bad_value(ErrorCode code = ErrorCode::failure) {
  return fail(code, code == ErrorCode::failure ? "Invalid value" : "");
}

template <auto Member>
Result<void> set_text(Draft& d, std::string_view value) {
  d.spec.*Member = Text(value);
  return {};
}

template <auto Member>
Result<void> set_number(Draft& d, std::string_view value) {
  auto n = parse_number<std::uint32_t>(value.substr(0, value.find('-')));
  if (!n) return bad_value();
  d.spec.*Member = *n;
  return {};
}

Result<void> set_time_limit(Draft& d, std::string_view value) {
  bool add = value.starts_with('+'), subtract = value.starts_with('-');
  auto limit = parse_time_limit(add || subtract ? value.substr(1) : value);
  if (!limit) return fail(ErrorCode::invalid_time_limit);
  Minutes result = *limit;
  if ((add || subtract) && d.job.time_limit != kUnlimited)
    result = add ? d.job.time_limit + *limit : d.job.time_limit - *limit;
  if (result.count() <= 0 && result != kUnlimited) result = kUnlimited;
  if (d.job.state != JobState::pending && !d.by_operator && result > d.job.time_limit)
    return fail(ErrorCode::access_denied);
  d.spec.time_limit = result;
  d.event.time_limit = result;
  return {};
}

Result<void> set_priority(Draft& d, std::string_view value) {
  auto priority = parse_number<std::uint32_t>(value);
  if (!priority) return bad_value();
  if (*priority == 0) return {};  // a hold: see update_job
  if (d.job.hold != Hold::none)
    return fail(ErrorCode::failure, "Job is in held state, pending scheduler release");
  if (!d.by_operator && *priority > d.job.priority) return fail(ErrorCode::access_denied);
  d.spec.priority = *priority;
  d.event.priority = *priority;
  d.event.priority_fixed = true;
  return {};
}

Result<void> set_nice(Draft& d, std::string_view value) {
  auto nice = value.empty() ? std::optional<std::int32_t>(100) : parse_number<std::int32_t>(value);
  if (!nice) return bad_value();
  if (*nice < 0 && !d.by_operator) return fail(ErrorCode::access_denied);
  d.spec.nice = *nice;
  if (!d.event.priority_fixed && d.job.hold == Hold::none)
    d.event.priority = sched::basic_priority(d.job.id, *nice);
  return {};
}

Result<void> set_partition(Draft& d, std::string_view value) {
  auto named = named_partitions(d.cluster, value);
  if (!named) return fail(ErrorCode::invalid_partition);
  d.spec.partition = Text(value);
  d.event.partition = Text(value);
  if (!d.spec.time_limit)
    d.event.time_limit = effective_limit(d.cluster, d.spec, *named->front(), d.event.qos);
  return {};
}

Result<void> set_begin(Draft& d, std::string_view value) {
  auto begin = parse_date(value, d.now);
  if (!begin) return fail(ErrorCode::invalid_begin);
  d.spec.begin = *begin;
  d.event.eligible = *begin;
  return {};
}

Result<void> set_deadline(Draft& d, std::string_view value) {
  auto deadline = parse_date(value, d.now);
  if (!deadline) return bad_value();
  d.spec.deadline = *deadline;
  return {};
}

Result<void> set_dependency(Draft& d, std::string_view value) {
  if (!value.empty() && !sched::parse_dependencies(value)) return fail(ErrorCode::dependency);
  d.spec.dependency = Text(value);
  return {};
}

template <auto Member>
Result<void> set_yes_no(Draft& d, std::string_view value) {
  auto yes = parse_yes_no(value);
  if (!yes) return bad_value();
  d.spec.*Member = *yes;
  return {};
}

Result<void> set_throttle(Draft& d, std::string_view value) {
  auto limit = parse_number<std::uint32_t>(value);
  if (!limit) return bad_value();
  if (!d.job.array_id) return fail(ErrorCode::failure, "Job is not an array");
  d.event.task_limit = *limit;
  return {};
}

Result<void> set_node_count(Draft& d, std::string_view value) {
  auto dash = value.find('-');
  auto low = parse_number<std::uint32_t>(value.substr(0, dash));
  auto high = dash == value.npos ? low : parse_number<std::uint32_t>(value.substr(dash + 1));
  if (!low || !high || *high < *low || *low == 0) return bad_value();
  d.spec.min_nodes = *low;
  d.spec.max_nodes = dash == value.npos ? 0 : *high;
  d.spec.nodes_given = true;
  return {};
}

template <auto Member>
Result<void> set_memory(Draft& d, std::string_view value) {
  auto mib = parse_mib(value);
  if (!mib) return bad_value();
  d.spec.memory_per_node_mib.reset();
  d.spec.memory_per_cpu_mib.reset();
  d.spec.*Member = *mib;
  return {};
}

Result<void> set_gres(Draft& d, std::string_view value) {
  if (iequals(value, "none")) return fail(ErrorCode::invalid_gres);
  if (!value.empty() && !parse_gres(value)) return fail(ErrorCode::invalid_gres);
  d.spec.gres = Text(value);
  return {};
}

Result<void> set_mail_type(Draft& d, std::string_view value) {
  auto types = parse_mail_types(value);
  if (!types) return bad_value();
  d.spec.mail_type = *types;
  return {};
}

Result<void> set_delay_boot(Draft& d, std::string_view value) {
  auto span = parse_duration(value);
  if (!span || span->count() < 0) return bad_value();
  d.spec.delay_boot_s = static_cast<std::uint32_t>(span->count());
  return {};
}

Text first_partition(const Draft& d) { return Text(split(d.event.partition, ',').front()); }

Result<void> set_account(Draft& d, std::string_view value) {
  if (auto ok = may_use_account(d.cluster, d.spec, Text(value), first_partition(d)); !ok) return ok;
  d.spec.account = d.event.account = Text(value);
  return {};
}

Result<void> set_qos(Draft& d, std::string_view value) {
  // Operators give any that exists.
  auto ok = d.by_operator ? is_known_qos(d.cluster, value)
                          : may_use_qos(d.cluster, d.spec, {d.event.account, Text(value)},
                                        first_partition(d));
  if (!ok) return ok;
  d.spec.qos = d.event.qos = Text(value);
  return {};
}

Result<void> set_reservation(Draft& d, std::string_view value) {
  for (std::string_view name : split(value, ',')) {
    if (name.empty()) continue;
    const Reservation* r = d.cluster.find_reservation(name);
    if (!r) return fail(ErrorCode::invalid_reservation);
    if (!r->admits(d.spec.user_name, d.job.account)) return fail(ErrorCode::reservation_access);
  }
  d.spec.reservation = Text(value);
  return {};
}

Result<void> set_reboot(Draft& d, std::string_view value) {
  if (!d.by_operator) return fail(ErrorCode::access_denied);
  return set_yes_no<&JobSpec::reboot>(d, value);
}

constexpr Key kKeys[] = {
    {"TimeLimit", false, set_time_limit},
    {"Priority", false, set_priority},
    {"Nice", false, set_nice},
    {"Partition", true, set_partition},
    {"Name", false, set_text<&JobSpec::name>},
    {"JobName", false, set_text<&JobSpec::name>},
    {"Comment", false, set_text<&JobSpec::comment>},
    {"AdminComment", false, set_text<&JobSpec::admin_comment>},
    {"WCKey", true, set_text<&JobSpec::wckey>},
    {"Account", true, set_account},
    {"QOS", true, set_qos},
    {"StartTime", true, set_begin},
    {"EligibleTime", true, set_begin},
    {"Deadline", true, set_deadline},
    {"Dependency", true, set_dependency},
    {"Requeue", false, set_yes_no<&JobSpec::requeue>},
    {"ArrayTaskThrottle", false, set_throttle},
    {"NumNodes", true, set_node_count},
    {"ReqNodes", true, set_node_count},
    {"NumTasks", true, set_number<&JobSpec::num_tasks>},
    {"ReqProcs", true, set_number<&JobSpec::num_tasks>},
    {"NumCPUs", true, set_number<&JobSpec::num_tasks>},
    {"CPUsPerTask", true, set_number<&JobSpec::cpus_per_task>},
    {"TasksPerNode", true, set_number<&JobSpec::ntasks_per_node>},
    {"MinCPUsNode", true, set_number<&JobSpec::min_cpus_per_node>},
    {"MinMemoryNode", true, set_memory<&JobSpec::memory_per_node_mib>},
    {"MinMemoryCPU", true, set_memory<&JobSpec::memory_per_cpu_mib>},
    {"Features", true, set_text<&JobSpec::features>},
    {"ReservationName", true, set_reservation},
    {"Gres", true, set_gres},
    {"TresPerNode", true, set_gres},
    {"ReqNodeList", true, set_text<&JobSpec::required_nodes>},
    {"NodeList", true, set_text<&JobSpec::required_nodes>},
    {"ExcNodeList", true, set_text<&JobSpec::excluded_nodes>},
    {"StdOut", true, set_text<&JobSpec::std_out>},
    {"StdErr", true, set_text<&JobSpec::std_err>},
    {"StdIn", true, set_text<&JobSpec::std_in>},
    {"WorkDir", true, set_text<&JobSpec::work_dir>},
    {"MailUser", false, set_text<&JobSpec::mail_user>},
    {"MailType", false, set_mail_type},
    {"DelayBoot", true, set_delay_boot},
    {"Contiguous", true, set_yes_no<&JobSpec::contiguous>},
    {"Prefer", true, set_text<&JobSpec::prefer>},
    {"BurstBuffer", true, set_text<&JobSpec::burst_buffer>},
    {"Reboot", true, set_reboot},
};

const Key* find_key(std::string_view name) {
  auto at = std::find_if(std::begin(kKeys), std::end(kKeys),
                         [&](const Key& k) { return iequals(k.name, name); });
  return at == std::end(kKeys) ? nullptr : at;
}

bool selects_job(std::string_view key) {
  return iequals(key, "JobId") || iequals(key, "Job") || iequals(key, "ArrayTaskId");
}

Result<JobUpdated> draft_update(const Cluster& cluster, const Job& job,
                                const SettingsList& settings, bool by_operator, Time now) {
  Draft d{cluster, job, now, by_operator, *job.spec, {}};
  d.event.job = job.id;
  d.event.priority = job.priority;
  d.event.partition = job.partition;
  d.event.account = job.account;
  d.event.qos = job.qos;
  d.event.time_limit = job.time_limit;
  d.event.task_limit = job.task_limit;
  d.event.eligible = job.eligible;
  d.event.priority_fixed = job.priority_fixed;
  for (const auto& [name, value] : settings) {
    if (selects_job(name)) continue;
    const Key* key = find_key(name);
    if (!key) return fail(ErrorCode::not_supported_yet, name);
    if (key->pending_only && job.state != JobState::pending) return fail(ErrorCode::not_pending);
    if (auto ok = key->set(d, value); !ok) return std::unexpected(ok.error());
  }
  if (job.state == JobState::pending) {
    auto named = named_partitions(cluster, d.event.partition);
    if (!named) return fail(ErrorCode::invalid_partition);
    const Partition& partition = *named->front();
    auto request = sched::make_request(cluster, d.spec, partition);
    if (!request) return std::unexpected(request.error());
    if (auto ok = sched::feasible(cluster, *request, partition); !ok)
      return fail(ErrorCode::requested_node_config_unavailable);
  }
  d.event.spec = Cow(std::move(d.spec));
  return std::move(d.event);
}

}  // namespace

wire::Answer Core::update_job(Caller caller, const wire::UpdateRequest& request, Time now) {
  auto id_text = find_setting(request.settings, {"JobId", "Job"});
  auto name = id_text ? std::nullopt : find_setting(request.settings, {"JobName", "Name"});
  std::vector<wire::JobRef> refs;
  if (id_text) {
    for (std::string_view part : split(*id_text, ',')) {
      auto ref = wire::parse_job_ref(part);
      if (!ref) return Error{ErrorCode::invalid_job_id, {}};
      refs.push_back(*ref);
    }
  } else if (name) {
    cluster_.jobs.each([&](const Job& job) {
      if (job.spec->name == *name && !is_ended(job.state)) refs.push_back({.job = job.id});
    });
  }
  if (refs.empty()) return Error{ErrorCode::invalid_job_id, {}};
  wire::CancelReply reply;
  for (const wire::JobRef& ref : refs) {
    auto ids = resolve(caller, ref);
    if (!ids) {
      reply.errors.emplace_back(ref, ids.error());
      continue;
    }
    TaskOutcomes outcomes(ref);
    for (JobId id : *ids) {
      const Job job = cluster_.jobs.at(id);
      if (ids->size() > 1 && (job.is_het() || name) && is_ended(job.state)) continue;
      outcomes.add(job, change_job(caller, job, request, now));
    }
    std::move(outcomes).tell(reply);
  }
  return reply;
}

Result<void> Core::change_job(Caller caller, const Job& job, const wire::UpdateRequest& request,
                              Time now) {
  const SettingsList& settings = request.settings;
  if (!may_change(caller, job)) return fail(ErrorCode::user_id_missing);
  if (is_ended(job.state)) return fail(ErrorCode::job_finished);
  auto change = draft_update(cluster_, job, settings, is_operator(caller), now);
  if (!change) return std::unexpected(change.error());
  record(std::move(*change));
  want_plan();
  if (find_setting(settings, {"Priority"}) != "0") return {};
  return hold(caller, cluster_.jobs.at(job.id), own_hold(caller));
}

}  // namespace muster::controller
