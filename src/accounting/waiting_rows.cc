// Delays rows of jobs that only wait: most of these jobs start soon and then need one row, not two.
#include "accounting/waiting_rows.h"

namespace muster::accounting {

namespace {

constexpr Seconds kLongestDelay{60};

}  // namespace

void WaitingRows::put_off(AccountingDelta& delta, Time now) {
  IdSet due;
  for (std::uint32_t id : delta.changes.jobs.ids()) {
    const Job* job = delta.cluster.jobs.find(JobId{id});
    if (job && job->has_only_waited() && now - job->submitted < kLongestDelay)
      rows_.push_back({JobId{id}, now});
    else
      due.insert(id);
  }
  for (; !rows_.empty() && now - rows_.front().since >= kLongestDelay; rows_.pop_front()) {
    const Job* job = delta.cluster.jobs.find(rows_.front().job);
    if (job && job->has_only_waited()) due.insert(job->id.value);
  }
  delta.changes.jobs = std::move(due);
}

void WaitingRows::bring_back(AccountingDelta& delta) {
  for (const Row& row : std::exchange(rows_, {})) {
    const Job* job = delta.cluster.jobs.find(row.job);
    if (job && job->has_only_waited()) delta.changes.jobs.insert(row.job.value);
  }
}

}  // namespace muster::accounting
