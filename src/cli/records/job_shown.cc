// Fields of `scontrol show job` that combine several values or need formatting of their own.
#include "cli/records/job_shown.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/text/duration.h"

namespace muster::cli {

namespace {

struct StartAndEnd {
  Time start, end;
};
StartAndEnd start_and_end(const JobRow& row) {
  const wire::JobView& view = row.view();
  const Job& job = row.job();
  if (const Time end = job.over_since(); is_set(end))
    return {is_set(job.run->started) ? job.run->started : end, end};
  if (is_set(job.run->started)) {
    if (job.time_limit == kUnlimited) return {job.run->started, Time{}};
    return {job.run->started, job.run->started + job.time_limit + job.run->suspended_total};
  }
  const Time start = is_set(view.expected_start) ? view.expected_start : job.own.begin;
  const bool bounded = is_set(start) && job.time_limit != kUnlimited && job.time_limit > Minutes{0};
  return {start, bounded ? start + job.time_limit : Time{}};
}

template <class T>
std::string or_star(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "*";
}

}  // namespace

void show_array_id(const JobRow& row, FieldValue& value) {
  if (row.job().array_id) value.number(row.job().array_id.value);
}

void show_throttle(const JobRow& row, FieldValue& value) {
  if (row.job().array_id && row.job().task_limit > 0) value.number(row.job().task_limit);
}

void show_user(const JobRow& row, FieldValue& value) {
  value.text(fmt::format("{}({})", row.spec().user_name.view(), row.spec().uid.value));
}

void show_group(const JobRow& row, FieldValue& value) {
  const Gid gid = row.spec().gid;
  value.text(fmt::format("{}({})", row.context->names.group(gid), gid.value));
}

void show_reason(const JobRow& row, FieldValue& value) {
  const wire::JobView& view = row.view();
  std::string& reason = value.text();
  reason = !view.reason_detail.empty()    ? view.reason_detail.view()
           : !view.reason.empty()         ? view.reason.view()
           : row.job().end_reason.empty() ? std::string_view("None")
                                          : row.job().end_reason.view();
  std::ranges::replace(reason, ' ', '_');
}

void show_priority(const JobRow& row, FieldValue& value) {
  value.number(row.job().hold == Hold::none ? row.priority() : 0);
}

void show_start(const JobRow& row, FieldValue& value) { value.time(start_and_end(row).start); }
void show_end(const JobRow& row, FieldValue& value) { value.time(start_and_end(row).end); }

void show_preempt_time(const JobRow& row, FieldValue& value) {
  if (!is_set(row.view().preemptable_since)) return;
  const Time preempted = row.job().preempt_time();
  if (is_set(preempted))
    value.time(preempted);
  else
    value.text("None");
}

void say_suspended(const JobRow& row, FieldValue& value) {
  const Run& run = *row.job().run;
  if (is_set(run.suspended_at))
    value.time(run.suspended_at);
  else
    value.time(run.suspended_total > Millis{0} ? run.turn_since : Time{});
}

void say_before_suspension(const JobRow& row, FieldValue& value) {
  const Run& run = *row.job().run;
  Millis before{0};
  if (is_set(run.suspended_at))
    before = row.line().run_time;
  else if (run.suspended_total > Millis{0})
    before = run.turn_since - run.started - run.suspended_total;
  value.number(std::chrono::floor<Seconds>(before).count());
}

void show_batch_host(const JobRow& row, FieldValue& value) {
  const wire::JobView& view = row.view();
  if (!view.batch_host.empty())
    value.text(view.batch_host);
  else if (!view.node_names.empty())
    value.text(view.node_names.front());
}

// The requested number ("2-2" with -N), and what the tasks need.
void show_nodes_asked(const JobRow& row, FieldValue& value) {
  const JobSpec& spec = row.spec();
  if (!row.job().run->allocation.empty()) return value.number(row.job().run->allocation.size());
  const std::uint32_t least = std::max(spec.min_nodes, row.view().least_nodes);
  if (spec.max_nodes == 0) return value.number(least);
  value.text(fmt::format("{}-{}", least, std::max(least, spec.max_nodes)));
}

void show_cpus(const JobRow& row, FieldValue& value) {
  const auto& shares = row.job().run->allocation;
  value.number(shares.empty() ? row.view().requested_cpus : total(shares).cpus);
}

void show_cores_asked(const JobRow& row, FieldValue& value) {
  value.text(fmt::format("0:0:{}:{}", or_star(row.spec().cores_per_socket),
                         or_star(row.spec().threads_per_core)));
}

void show_tasks_per(const JobRow& row, FieldValue& value) {
  const JobSpec& spec = row.spec();
  value.text(fmt::format("{}:0:{}:{}", spec.ntasks_per_node.value_or(0),
                         or_star(spec.ntasks_per_socket), or_star(spec.ntasks_per_core)));
}

void show_features(const JobRow& row, FieldValue& value) {
  const JobSpec& spec = row.spec();
  const bool got_preferred = row.job().run->has_preferred && row.job().state != JobState::pending;
  value.text(got_preferred ? spec.prefer : spec.features);
}

void show_prefer(const JobRow& row, FieldValue& value) {
  if (row.job().state == JobState::pending) value.text(row.spec().prefer);
}

void show_memory_per_node(const JobRow& row, FieldValue& value) {
  if (!row.spec().memory_per_cpu_mib) value.memory(row.spec().memory_per_node_mib.value_or(0));
}
void show_memory_per_cpu(const JobRow& row, FieldValue& value) {
  if (row.spec().memory_per_cpu_mib) value.memory(*row.spec().memory_per_cpu_mib);
}

void show_switches(const JobRow& row, FieldValue& value) {
  const JobSpec& spec = row.spec();
  if (spec.switches)
    value.text(fmt::format("{}@{}", spec.switches,
                           format_elapsed(spec.switches_wait.value_or(Seconds{0}))));
}

void show_mail_user(const JobRow& row, FieldValue& value) {
  const JobSpec& spec = row.spec();
  if (spec.mail_type != 0) value.text(spec.mail_user.empty() ? spec.user_name : spec.mail_user);
}

}  // namespace muster::cli
