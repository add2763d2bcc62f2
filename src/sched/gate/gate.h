// gate: what keeps a job from being considered at all, whatever is free.
#pragma once

#include <optional>
#include <set>

#include "model/cluster.h"
#include "sched/request/reason.h"

namespace muster::sched {

struct Gate {
  Reason reason = Reason::none;  // none = it may be placed
  bool hopeless = false;         // and never will be: its dependency cannot be met any more
};

// Where a job may be started.
struct Venue {
  const Partition* partition = nullptr;
  const Reservation* reservation = nullptr;  // nullptr = outside of all
  bool operator==(const Venue&) const = default;
};

// Nothing but other jobs' use of the cluster keeps it waiting: it is not held, its time has come
// and its dependencies are met.
bool is_eligible(const Cluster& cluster, const Job& job, Time now);

// Its dependency can never be met, as things are.
bool is_hopeless(const Cluster& cluster, const Job& job, Time now);

// It would not be over by its deadline, however short it agrees to be made.
bool misses_deadline(const Job& job, Time now);

// CompleteWait: partitions in which nothing starts, because a job there (with
// reduce_completing_frag), or anywhere, is still leaving its nodes.
std::set<Text> settling_partitions(const Cluster& cluster, Time now);

// Array records with aftercorr pass: their tasks are asked one by one (task_may_run).
Gate gate(const Cluster& cluster, const Job& job, const Venue& venue, Time now);
bool task_may_run(const Cluster& cluster, const Job& record, std::uint32_t task, Time now);
bool asks_task_by_task(const Job& record);

}  // namespace muster::sched
