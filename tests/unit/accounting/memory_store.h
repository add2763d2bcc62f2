// An AccountingStore in memory, as simple as the interface allows.
#pragma once

#include <map>

#include "state/accounting_store.h"

namespace muster::accounting {

class MemoryStore final : public AccountingStore {
 public:
  Result<void> ingest(const std::vector<AccountingRecord>& records, BatchNumber last) override {
    for (const AccountingRecord& record : records)
      std::visit([&](const auto& r) { put(r); }, record);
    last_ = last;
    return {};
  }
  BatchNumber last() override { return last_; }

  Result<void> scan(const Scan&, const std::function<void(Candidate)>& visit) override {
    for (const auto& [index, job] : jobs_) visit({index, job});
    return {};
  }
  Result<std::optional<JobRecord>> job_at(std::int64_t index) override {
    auto found = jobs_.find(index);
    return found == jobs_.end() ? std::nullopt : std::optional(found->second);
  }
  Result<std::vector<StepRecord>> steps_of(std::int64_t index) override { return steps_[index]; }

 private:
  std::int64_t find(JobId job, Attempt attempt) {
    for (const auto& [index, j] : jobs_)
      if (j.job == job && j.attempt == attempt) return index;
    return 0;
  }
  void put(const JobRecord& job) {
    std::int64_t index = find(job.job, job.attempt);
    jobs_[index ? index : ++newest_] = job;
  }
  void put(const StepRecord& step) { steps_[find(step.job, step.attempt)].push_back(step); }

  std::map<std::int64_t, JobRecord> jobs_;
  std::map<std::int64_t, std::vector<StepRecord>> steps_;
  std::int64_t newest_ = 0;
  BatchNumber last_ = 0;
};

}  // namespace muster::accounting
