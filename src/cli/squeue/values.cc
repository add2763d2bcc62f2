// What squeue's columns say of a job.
#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "cli/records/record_text.h"
#include "cli/records/task_text.h"
#include "cli/squeue/row.h"

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

// Where nodes still clean up after a job, only those count as its own.
bool shows_remaining_nodes(const JobRow& row) { return row.job().completing(); }

bool is_failure(JobState state) {
  return is_ended(state) && state != JobState::completed && state != JobState::cancelled;
}

std::string absolute(const JobOwn& own, std::string_view path) {
  if (path == "none") return "/dev/null";
  if (path.starts_with('/')) return std::string(path);
  return fmt::format("{}/{}", own.work_dir.view(), path);
}

}  // namespace

std::string task_id_text(const JobRow& row) {
  const wire::JobLine& job = row.line();
  if (row.task != kNoTask) return std::to_string(row.task);
  if (job.last_task() != kNoTask) return std::to_string(job.last_task());
  if (job.is_array_record())
    return task_set_text(job.waiting_tasks, job.task_limit, row.context->task_text_limit);
  return job.task_id == kNoTask ? "N/A" : std::to_string(job.task_id);
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
  constexpr int kTaskBits = 31;  // array tasks are far fewer
  const wire::JobLine& job = row.line();
  std::uint32_t task = 0;
  if (row.task != kNoTask)
    task = row.task;
  else if (job.is_array_record())  // those that wait come after the others
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

Minutes time_limit(const JobRow& row) { return row.line().time_limit; }

Seconds time_used(const JobRow& row) { return std::chrono::floor<Seconds>(row.line().run_time); }

Time end_time(const JobRow& row) {
  constexpr std::chrono::days kNeverMeans{365};  // an unlimited job is expected to end in a year
  if (is_set(row.job().over_since())) return row.job().over_since();
  Time start = start_time(row);
  if (!is_set(start)) return start;
  Minutes limit = time_limit(row);
  if (limit == kUnlimited) return start + kNeverMeans;
  return start + limit + row.job().run->suspended_total;
}

std::string time_left_text(const JobRow& row) {
  Minutes limit = time_limit(row);
  if (limit == kUnlimited) return "UNLIMITED";
  // Seconds used are counted as %M counts them: both add up to the limit.
  const Seconds used = time_used(row);
  if (used > limit) return "INVALID";  // in its OverTimeLimit
  return format_elapsed_short(Seconds(limit) - used);
}

std::uint64_t cpu_count(const JobRow& row) {
  if (row.job().run->allocation.empty())
    return std::max(requested_tres(row.view()).cpus, min_cpus(row.spec()));
  std::uint64_t count = 0;
  for (const NodeShare& share : row.job().run->allocation)
    if (!shows_remaining_nodes(row) || row.job().run->unfinished.contains(share.node))
      count += share.cpus.size();
  return count;
}

std::uint64_t min_cpus(const JobSpec& spec) { return least_cpus_per_node(spec); }

std::string tres_text(const JobRow& row) {
  if (row.job().run->allocation.empty()) return requested_tres(row.view()).text();
  Tres tres = total(row.job().run->allocation);
  tres.billing = row.view().billing.value_or(tres.billing);
  return tres.text();
}

std::string memory_text(const JobRow& row) {
  const JobSpec& spec = row.spec();
  std::uint64_t mib = spec.memory_per_cpu_mib.value_or(spec.memory_per_node_mib.value_or(0));
  if (mib == 0) return "0";
  return row.context->no_convert ? fmt::format("{}M", mib) : format_mib(mib);
}

std::string command_text(const JobOwn& own) {
  if (own.command.empty()) return "(null)";
  std::string out = own.command.str();
  for (const Text& argument : own.script_args) out += fmt::format(" {}", argument.view());
  return out;
}

std::string output_path(const JobRow& row) {
  const JobOwn& own = row.job().own;
  if (row.spec().kind != JobKind::batch) return "";
  if (!own.std_out.empty()) return absolute(own, own.std_out);
  if (row.job().array_id) return absolute(own, "slurm-%A_%a.out");
  return absolute(own, fmt::format("slurm-{}.out", row.job().id.value));
}

std::string error_path(const JobRow& row) {
  if (row.job().own.std_err.empty()) return output_path(row);
  return absolute(row.job().own, row.job().own.std_err);
}

std::string step_id_text(const StepRow& row) {
  // A step of a component goes by the component's own id.
  const Job& job = row.owner.job();
  std::string owner = job.is_het() ? std::to_string(job.id.value) : job_id_text(row.owner);
  return fmt::format("{}.{}{}", owner, step_name(row.step->id), row.suffix);
}

std::string step_nodes(const StepRow& row) {
  const auto& shares = row.owner.job().run->allocation;
  std::vector<std::string> names;
  for (const StepNode& place : row.step->nodes)
    for (std::size_t i = 0; i < shares.size() && i < row.owner.view().node_names.size(); ++i)
      if (shares[i].node == place.node) names.push_back(row.owner.view().node_names[i].str());
  return compress_hostlist(names);
}

}  // namespace muster::cli
