// Carries out the starts of a plan. Each is checked again, because the state may have changed while
// the plan was made.
#pragma once

#include <span>
#include <vector>

#include "controller/jobs/programs.h"
#include "controller/ledger/ledger.h"
#include "controller/planning/planning.h"
#include "controller/power/power.h"
#include "sched/plan.h"

namespace muster::controller {

class Starter {
 public:
  Starter(Ledger& ledger, const Planning& planning, Power& power, Programs& programs)
      : ledger_(ledger), planning_(planning), power_(power), programs_(programs) {}

  // Starts none if something has changed; that change has already asked for another plan.
  bool start_all_or_none(std::span<const sched::Start> starts);

 private:
  void start_job(const sched::Start& start);

  Ledger& ledger_;
  const Planning& planning_;
  Power& power_;
  Programs& programs_;
};

// The first start, with those of the other components of its job, which follow it.
std::span<const sched::Start> first_group(const Cluster& cluster,
                                          std::span<const sched::Start> starts);
// REPLACE: such a reservation gets other nodes as soon as a job uses some of its nodes.
bool uses_replaced_nodes(const Cluster& cluster, const std::vector<sched::Start>& starts);
// Those of the jobs that are still pending and wait for resources only.
void begin_to_accrue(Ledger& ledger, const IdSet& planned);
// Jobs whose dependencies can never be fulfilled.
void cancel_hopeless(Ledger& ledger, const sched::Plan& plan);

}  // namespace muster::controller
