// Rows of jobs that only wait are put off: most of these jobs start soon and need one row, not two.
#include "accounting/waiting_rows.h"

namespace muster::accounting {

namespace {

constexpr Seconds kPatience{60};

}  // namespace

void WaitingRows::put_off(AccountingPortion& portion, Time now) {
  IdSet due;
  for (std::uint32_t id : portion.changes.jobs.ids()) {
    const Job* job = portion.cluster.jobs.find(JobId{id});
    if (job && job->has_only_waited() && now - job->submitted < kPatience)
      rows_.push_back({JobId{id}, now});
    else
      due.insert(id);
  }
  for (; !rows_.empty() && now - rows_.front().since >= kPatience; rows_.pop_front()) {
    const Job* job = portion.cluster.jobs.find(rows_.front().job);
    if (job && job->has_only_waited()) due.insert(job->id.value);
  }
  portion.changes.jobs = std::move(due);
}

void WaitingRows::bring_back(AccountingPortion& portion) {
  for (const Row& row : std::exchange(rows_, {})) {
    const Job* job = portion.cluster.jobs.find(row.job);
    if (job && job->has_only_waited()) portion.changes.jobs.insert(row.job.value);
  }
}

}  // namespace muster::accounting
