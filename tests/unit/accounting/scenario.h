// A morning of jobs as Slurm recorded it, and what its sacct printed: builders for records, the
// jobs themselves, and rows as short texts ("20", "20.batch", "19_1", "19_[2-5]").
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "state/accounting_store.h"
#include "wire/client_messages.h"

namespace muster::accounting {

// Seconds after 01:31:00 of that morning; `now` is one minute later.
inline Time at(int seconds) { return from_unix_seconds(1'794'792'660 + seconds); }
inline const Time kNow = at(120);

struct JobBuilder {
  JobRecord r;

  explicit JobBuilder(std::uint32_t id, std::string_view name = "wrap") {
    r.job = JobId{id};
    r.attempt = Attempt{1};
    r.name = name;
    r.partition = "batch";
    r.account = "root";
    r.qos = "normal";
    r.user_name = "root";
    r.cluster = "ref";
    r.submitted = r.eligible = at(47);
  }
  JobBuilder& task(std::uint32_t array, std::uint32_t index) {
    r.array_id = JobId{array};
    r.task_id = index;
    return *this;
  }
  JobBuilder& waiting(std::string_view tasks) {
    r.array_id = r.job;
    r.waiting_tasks = tasks;
    return *this;
  }
  JobBuilder& attempt(std::uint32_t n) {
    r.attempt = Attempt{n};
    return *this;
  }
  JobBuilder& user(std::uint32_t uid, std::string_view name) {
    r.uid = Uid{uid};
    r.user_name = name;
    return *this;
  }
  JobBuilder& submitted(Time t) {
    r.submitted = r.eligible = t;
    return *this;
  }
  JobBuilder& eligible(Time t) {
    r.eligible = t;
    return *this;
  }
  JobBuilder& ran(Time from, Time to, JobState state, std::string_view text,
                  std::string_view nodes = "n1") {
    r.started = from;
    r.ended = to;
    r.state = state;
    r.state_text = text;
    r.nodes = nodes;
    return *this;
  }
  JobBuilder& runs(Time from, std::string_view nodes) {
    return ran(from, {}, JobState::running, "RUNNING", nodes);
  }
};

inline StepRecord make_step(std::uint32_t job, StepId step, std::uint32_t attempt = 1) {
  StepRecord r;
  r.job = JobId{job};
  r.attempt = Attempt{attempt};
  r.step = step;
  r.started = at(47);
  return r;
}

// Jobs 19 (an array of four, two at a time), 20 with steps, 21 held, 22 running, 23 failed, 24
// requeued and waiting for its next run at 02:34:04, 28 cancelled before it was eligible, 99 an
// array of which half has started.
inline std::vector<AccountingRecord> morning() {
  constexpr auto kCompleted = JobState::completed;
  std::vector<AccountingRecord> records = {
      JobBuilder(25).task(19, 0).ran(at(47), at(52), kCompleted, "COMPLETED", "n2").r,
      JobBuilder(26).task(19, 1).ran(at(47), at(52), kCompleted, "COMPLETED", "n1").r,
      JobBuilder(20, "steps").ran(at(47), at(49), JobState::failed, "FAILED").r,
      JobBuilder(22, "long").runs(at(47), "n[3-4]").r,
      JobBuilder(23, "fail").ran(at(47), at(47), JobState::failed, "FAILED").r,
      JobBuilder(24, "rq").ran(at(47), at(63), JobState::cancelled, "REQUEUED").r,
      JobBuilder(21, "held").eligible({}).r,
      JobBuilder(19).task(19, 3).eligible(at(53)).ran(at(53), at(58), kCompleted, "COMPLETED").r,
      JobBuilder(27).task(19, 2).eligible(at(53)).ran(at(53), at(58), kCompleted, "COMPLETED").r,
      JobBuilder(28)
          .submitted(at(62))
          .eligible({})
          .ran(at(62), at(62), JobState::cancelled, "CANCELLED by 0", "")
          .r,
      JobBuilder(24, "rq").attempt(2).submitted(at(63)).eligible(at(184)).r,
      JobBuilder(96, "keyjob").submitted(at(78)).runs(at(78), "n1").user(1000, "alice").r,
      JobBuilder(101).task(99, 0).submitted(at(78)).runs(at(78), "n1").r,
      JobBuilder(99).waiting("1-5%2").submitted(at(78)).eligible({}).r,
      make_step(20, StepId{1}),
      make_step(20, StepId{0}),
      make_step(20, kExternStep),
      make_step(20, kBatchStep),
      make_step(24, kBatchStep),
  };
  return records;
}

inline std::string job_text(const JobRecord& job) {
  if (!job.waiting_tasks.empty())
    return fmt::format("{}_[{}]", job.array_id.value, job.waiting_tasks.view());
  if (job.array_id) return fmt::format("{}_{}", job.array_id.value, job.task_id);
  return std::to_string(job.job.value);
}

inline std::string step_text(StepId step) {
  if (step == kBatchStep) return "batch";
  return step == kExternStep ? "extern" : std::to_string(step.value);
}

// The first column of sacct's output.
inline std::vector<std::string> ids(const Result<std::vector<AccountingRow>>& rows) {
  if (!rows) return {rows.error().text()};
  std::vector<std::string> result;
  for (const AccountingRow& row : *rows) {
    if (!row.steps_only) result.push_back(job_text(row.job));
    for (const StepRecord& step : row.steps)
      result.push_back(job_text(row.job) + "." + step_text(step.step));
  }
  return result;
}

inline wire::JobRef ref(std::uint32_t job, IdSet tasks = {}, std::optional<StepId> step = {}) {
  return {.job = JobId{job}, .tasks = std::move(tasks), .step = step};
}

// All allocations (-X).
inline wire::AccountingRequest allocations() {
  wire::AccountingRequest request;
  request.allocations_only = true;
  request.start = at(0);
  return request;
}

inline wire::AccountingRequest in_state(std::vector<Text> states, Time start, Time end) {
  wire::AccountingRequest request = allocations();
  request.states = std::move(states);
  request.by_state = true;
  request.start = start;
  request.end = end;
  return request;
}

inline wire::AccountingRequest of_jobs(std::vector<wire::JobRef> jobs) {
  wire::AccountingRequest request;
  request.jobs = std::move(jobs);
  return request;
}

}  // namespace muster::accounting
