// Values of a job's fields that several surfaces show: id, state, times.
#include <fmt/format.h>

#include "base/text/duration.h"
#include "cli/records/job_row.h"
#include "cli/records/task_text.h"

namespace muster::cli {

namespace {

struct ShownNames {
  std::string_view name, code;
};
ShownNames shown_names(wire::ShownState state) {
  switch (state) {
    case wire::ShownState::configuring:
      return {"CONFIGURING", "CF"};
    case wire::ShownState::lost_reservation:
      return {"RESV_DEL_HOLD", "RD"};
    case wire::ShownState::special_exit:
      return {"SPECIAL_EXIT", "SE"};
    case wire::ShownState::completing:
      return {"COMPLETING", "CG"};
    case wire::ShownState::plain:
      break;
  }
  return {};
}

// While nodes clean up after a job, only these count as the job's.
bool shows_remaining_nodes(const JobRow& row) { return row.job().completing(); }

bool is_failure(JobState state) {
  return is_ended(state) && state != JobState::completed && state != JobState::cancelled;
}

}  // namespace

std::string task_id_text(const JobRow& row) {
  const wire::JobLine& job = row.line();
  if (row.task != kNoTask) return std::to_string(row.task);
  if (job.last_task() != kNoTask) return std::to_string(job.last_task());
  if (job.is_array_record())
    return task_set_text(job.waiting_tasks, job.task_limit, row.context->task_text_limit);
  return job.task_id == kNoTask ? "" : std::to_string(job.task_id);
}

std::string job_id_text(const JobRow& row) {
  const wire::JobLine& job = row.line();
  if (row.task == kNoTask && job.is_het())
    return fmt::format("{}+{}", job.het_id.value, job.het_offset);
  if (row.task == kNoTask && job.is_array_record() && job.last_task() == kNoTask)
    return fmt::format("{}_[{}]", job.array_id.value, task_id_text(row));
  if (row.task == kNoTask && !job.is_array_record() && job.task_id == kNoTask)
    return std::to_string(job.id.value);
  return fmt::format("{}_{}", job.array_id.value, task_id_text(row));
}

std::int64_t job_id_key(const JobRow& row) {
  constexpr int kTaskBits = 31;  // enough for any array
  const wire::JobLine& job = row.line();
  std::uint32_t task = 0;
  if (row.task != kNoTask)
    task = row.task;
  else if (job.is_array_record())  // waiting tasks come last
    task = (1u << kTaskBits) - 1;
  else if (job.task_id != kNoTask)
    task = job.task_id;
  JobId id = job.array_id ? job.array_id : job.id;
  return static_cast<std::int64_t>(std::uint64_t{id.value} << kTaskBits | task);
}

std::string_view job_state_text(const JobRow& row) {
  const wire::JobLine& job = row.line();
  return job.shown == wire::ShownState::plain ? state_name(job.state) : shown_names(job.shown).name;
}
std::string_view job_state_code(const JobRow& row) {
  const wire::JobLine& job = row.line();
  return job.shown == wire::ShownState::plain ? state_code(job.state) : shown_names(job.shown).code;
}

std::string reason_or_nodes(const JobRow& row) {
  const wire::JobLine& job = row.line();
  const bool failed = is_failure(job.state) && !job.completing && job.reason != "None";
  if (job.state != JobState::pending && !failed) return std::string(job.nodes);
  std::string text = "(";
  text += job.reason;
  return text += ')';
}

std::string_view user_name(const JobRow& row) {
  const wire::JobLine& job = row.line();
  return job.user_name.empty() ? std::string_view(row.context->names.user(job.uid)) : job.user_name;
}

Time start_time(const JobRow& row) {
  const Job& job = row.job();
  if (job.state != JobState::pending)
    return is_set(job.run->started) ? job.run->started : job.run->ended;
  if (is_set(row.view().expected_start)) return row.view().expected_start;
  return row.job().own.begin > row.context->now ? row.job().own.begin : Time{};
}

Time end_time(const JobRow& row) {
  constexpr std::chrono::days kNeverMeans{365};  // a job without limit is expected to end in a year
  if (is_set(row.job().over_since())) return row.job().over_since();
  Time start = start_time(row);
  if (!is_set(start)) return start;
  const Minutes limit = row.line().time_limit;
  if (limit == kUnlimited) return start + kNeverMeans;
  return start + limit + row.job().run->suspended_total;
}

std::uint64_t cpu_count(const JobRow& row) {
  if (row.job().run->allocation.empty()) return row.view().requested_cpus;
  std::uint64_t count = 0;
  for (const NodeShare& share : row.job().run->allocation)
    if (!shows_remaining_nodes(row) || row.job().run->unfinished.contains(share.node))
      count += share.cpus.size();
  return count;
}

std::string tres_text(const JobRow& row) {
  if (row.job().run->allocation.empty()) return row.view().requested_tres.str();
  Tres tres = total(row.job().run->allocation);
  tres.billing = row.view().billing.value_or(tres.billing);
  return tres.text();
}

std::string command_text(const JobOwn& own) {
  std::string out = own.command.str();
  if (!out.empty())
    for (const Text& argument : own.script_args) out += fmt::format(" {}", argument.view());
  return out;
}

}  // namespace muster::cli
