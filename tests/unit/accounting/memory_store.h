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
  Result<std::vector<SuspensionRecord>> suspensions_of(std::int64_t index) override {
    return suspensions_[index];
  }
  Result<void> events(Time start, Time end,
                      const std::function<void(EventRecord)>& visit) override {
    for (const EventRecord& event : events_)
      if ((!is_set(event.end) || event.end >= start) && event.start < end) visit(event);
    return {};
  }
  Result<void> reservations(Time start, Time end,
                            const std::function<void(ReservationRecord)>& visit) override {
    for (const ReservationRecord& one : reservations_)
      if (one.end >= start && one.start < end) visit(one);
    return {};
  }
  Result<Time> usage_known_until() override { return known_; }
  Result<Time> oldest_record() override {
    Time oldest;
    for (const auto& [index, job] : jobs_)
      if (!is_set(oldest) || job.submitted < oldest) oldest = job.submitted;
    return oldest;
  }
  Result<void> put_usage(const UsageChange& change) override {
    auto& rows = usage_[change.span];
    std::erase_if(
        rows, [&](const UsageOf& of) { return of.start >= change.start && of.start < change.end; });
    rows.insert(rows.end(), change.rows.begin(), change.rows.end());
    if (change.known_until) known_ = *change.known_until;
    return {};
  }
  Result<void> usage(UsageSpan span, Time start, Time end,
                     const std::function<void(UsageOf)>& visit) override {
    for (const UsageOf& of : usage_[span])
      if (of.start >= start && of.start < end) visit(of);
    return {};
  }
  void forget_usage_since(Time t) { known_ = std::min(known_, t); }

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

  void put(const SuspensionRecord& one) { suspensions_[find(one.job, one.attempt)].push_back(one); }
  void put(const EventRecord& event) { events_.push_back(event); }
  void put(const ReservationRecord& one) { reservations_.push_back(one); }

  std::map<std::int64_t, JobRecord> jobs_;
  std::map<std::int64_t, std::vector<SuspensionRecord>> suspensions_;
  std::vector<EventRecord> events_;
  std::vector<ReservationRecord> reservations_;
  std::map<UsageSpan, std::vector<UsageOf>> usage_;
  Time known_;
  std::map<std::int64_t, std::vector<StepRecord>> steps_;
  std::int64_t newest_ = 0;
  BatchNumber last_ = 0;
};

}  // namespace muster::accounting
