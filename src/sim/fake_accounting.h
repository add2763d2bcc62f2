// The accounting file of the simulated controller. It gets changes late, and keeps them when the
// controller crashes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accounting/changes.h"

namespace muster::sim {

class FakeAccounting {
 public:
  void account(accounting::AccountingDelta delta) { queued_.add(std::move(delta)); }
  void feed() {
    if (queued_.number == 0) return;
    for (const AccountingRecord& record : queued_.records())
      if (const auto* job = std::get_if<JobRecord>(&record))
        rows_.insert_or_assign({job->job, job->attempt}, *job);
      else if (const auto* step = std::get_if<StepRecord>(&record);
               step && step->step == kBatchStep)
        scripts_.insert_or_assign({step->job, step->attempt}, *step);
      else if (step)
        steps_.insert_or_assign({{step->job, step->attempt}, step->step}, step->state);
    last_ = queued_.number;
    queued_ = {};
  }
  void crash() { queued_ = {}; }
  BatchNumber last() const { return last_; }

  // At the end of a run: checks that every run of every job has ended, and as the state says.
  std::vector<std::string> contradictions(const Cluster& cluster,
                                          const std::set<JobId>& without_script) const {
    std::vector<std::string> found;
    for (const auto& [key, row] : rows_)
      if (!is_ended(row.state))
        found.push_back(fmt::format("accounting never heard of the end of run {} of job {}",
                                    key.second.value, key.first.value));
    for (const auto& [key, row] : rows_) {
      // only runs of the first component
      if (row.allocated_nodes == 0 || row.het_offset > 0) continue;
      if (without_script.contains(row.job)) continue;
      auto script = scripts_.find(key);
      if (script == scripts_.end() || !is_ended(script->second.state))
        found.push_back(
            fmt::format("accounting never heard of the end of the script of run {} of job {}",
                        key.second.value, key.first.value));
    }
    for (const auto& [key, state] : steps_)
      if (!is_ended(state))
        found.push_back(fmt::format("accounting never heard of the end of step {}.{}",
                                    key.first.first.value, key.second.value));
    cluster.jobs.each([&](const Job& job) {
      for (std::uint32_t run = 1; run <= job.attempt.value; ++run)
        if (!rows_.contains({job.id, Attempt{run}}))
          found.push_back(
              fmt::format("accounting never heard of run {} of job {}", run, job.id.value));
      // A job that ended in the queue after a requeue has one more row than runs.
      const std::uint32_t ended_waiting = job.run->allocation.empty() ? 1 : 0;
      auto last = rows_.find({job.id, Attempt{job.attempt.value + ended_waiting}});
      if (last != rows_.end() && last->second.state != job.state)
        found.push_back(fmt::format("accounting has another state of job {}", job.id.value));
    });
    return found;
  }

 private:
  accounting::AccountingDelta queued_;
  using Key = std::pair<JobId, Attempt>;
  std::map<Key, JobRecord> rows_;
  std::map<Key, StepRecord> scripts_;
  std::map<std::pair<Key, StepId>, JobState> steps_;
  BatchNumber last_ = 0;
};

}  // namespace muster::sim
