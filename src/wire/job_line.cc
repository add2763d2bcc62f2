#include "wire/job_line.h"

#include <algorithm>

namespace muster::wire {

namespace {

ShownState shown_state(const Job& job) {
  if (job.run->preparing) return ShownState::configuring;
  if (job.lost_reservation()) return ShownState::lost_reservation;
  if (job.special_exit()) return ShownState::special_exit;
  return job.completing() ? ShownState::completing : ShownState::plain;
}

std::string_view shown_reason(const Job& job, const JobView& view) {
  const std::string_view reason = view.reason.empty() ? "None" : view.reason.view();
  if (is_active(job.state)) return reason;
  if (reason == "launch_failed_requeued_held") return "launch failed requeued held";
  if (reason == "job_requeued_in_held_state") return "job requeued in held state";
  if (is_ended(job.state) && !job.end_reason.empty()) return job.end_reason;
  return view.reason_detail.empty() ? reason : view.reason_detail.view();
}

// Where nodes still clean up after a job, only those count as its own.
std::uint32_t node_count(const Job& job, const JobView& view) {
  if (job.completing()) return static_cast<std::uint32_t>(job.run->unfinished.size());
  if (!job.run->allocation.empty()) return static_cast<std::uint32_t>(job.run->allocation.size());
  return std::max({job.spec->min_nodes, view.least_nodes, 1u});
}

}  // namespace

JobLine line_of(const Job& job, const JobView& view, Time now) {
  JobLine line{.id = job.id,
               .array_id = job.array_id,
               .het_id = job.het_id,
               .het_offset = job.het_offset,
               .task_id = job.task_id,
               .task_limit = job.task_limit,
               .waiting_tasks = job.waiting_tasks,
               .others_left = job.array->exits.left > 0,
               .state = job.state,
               .shown = shown_state(job),
               .completing = job.completing(),
               .priority = job.priority,
               .time_limit = job.time_limit,
               .run_time = job.run_time(now),
               .num_nodes = node_count(job, view),
               .uid = job.spec->uid,
               .user_name = job.spec->user_name,
               .name = job.own.name,
               .partition = job.partition,
               .reason = shown_reason(job, view),
               .nodes = view.nodes};
  // A job that waits for any of several partitions shows them all.
  if (job.state == JobState::pending && !job.spec->partition.empty())
    line.partition = job.spec->partition;
  return line;
}

void append_line(const JobLine& line, std::string& lines) {
  Encoder(lines).one(1, const_cast<JobLine&>(line));  // the encoder only reads
}

}  // namespace muster::wire
