// See statistics.h.
#include "controller/planning/statistics.h"

namespace muster::controller {

void Statistics::begin() {
  begin_again();
  backfilled_ = backfilled_components_ = 0;
}

void Statistics::begin_again() {
  since_ = ledger_.now();
  ledger_.reset_job_counts();
  quick_ = thorough_ = {};
  backfilled_since_ = 0;
}

void Statistics::tick() {
  using std::chrono::days;
  if (std::chrono::floor<days>(ledger_.now()) != std::chrono::floor<days>(since_)) begin_again();
}

void Statistics::note_plan(const sched::Plan& plan, std::chrono::microseconds took) {
  wire::PlanCounts& counts = plan.thorough ? thorough_ : quick_;
  ++counts.plans;
  counts.last_at = ledger_.now();
  counts.took_us.add(static_cast<std::uint64_t>(took.count()));
  counts.queued.add(plan.work.queued);
  counts.examined.add(plan.work.examined);
  counts.tried.add(plan.work.tried);
  counts.promised.add(plan.work.promised);
}

void Statistics::note_start(const sched::Start& start) {
  if (!start.backfilled) return;
  ++backfilled_;
  ++backfilled_since_;
  const Job* job = ledger_.cluster().jobs.find(start.job);
  if (job && job->is_het()) ++backfilled_components_;
}

void Statistics::on_clock_step(Millis by) {
  for (Time* time : {&since_, &quick_.last_at, &thorough_.last_at})
    if (is_set(*time)) *time += by;
}

wire::StatisticsReply Statistics::reply() const {
  wire::StatisticsReply reply;
  reply.now = ledger_.now();
  reply.since = since_;
  reply.jobs = ledger_.job_counts();
  reply.quick = quick_;
  reply.thorough = thorough_;
  reply.backfilled = backfilled_;
  reply.backfilled_since_reset = backfilled_since_;
  reply.backfilled_components = backfilled_components_;
  return reply;
}

}  // namespace muster::controller
