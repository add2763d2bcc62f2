// Statistics: what the scheduler has done since the counts were last reset, for sdiag. Like Slurm's
// the counts begin anew at midnight UTC. Nothing here is journalled.
#pragma once

#include <chrono>

#include "controller/ledger/ledger.h"
#include "sched/plan.h"
#include "wire/statistics.h"

namespace muster::controller {

class Statistics {
 public:
  explicit Statistics(Ledger& ledger) : ledger_(ledger) {}

  void begin();  // at the start, and where an operator resets all counts
  void tick();
  void note_plan(const sched::Plan& plan, std::chrono::microseconds took);
  void note_start(const sched::Start& start);
  void on_clock_step(Millis by);

  wire::StatisticsReply reply() const;

 private:
  void begin_again();

  Ledger& ledger_;
  Time since_;
  wire::PlanCounts quick_, thorough_;
  std::uint64_t backfilled_ = 0, backfilled_components_ = 0;  // since the start
  std::uint64_t backfilled_since_ = 0;
};

}  // namespace muster::controller
