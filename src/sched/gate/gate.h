// gate: the conditions that keep a job from being considered at all, whatever is free.
#pragma once

#include <optional>
#include <set>

#include "model/cluster.h"
#include "sched/request/reason.h"

namespace muster::sched {

struct Gate {
  Reason reason = Reason::none;  // none = it may be placed
  bool hopeless = false;         // its dependency can no longer be met
};

// Where a job would start. Jobs may have several partitions and reservations to choose from.
struct StartTarget {
  const Partition* partition = nullptr;
  const Reservation* reservation = nullptr;  // nullptr = outside all reservations
  bool operator==(const StartTarget&) const = default;
};

// The job only waits for free resources: it is not held, its begin time has come, and its
// dependencies are met.
bool is_eligible(const Cluster& cluster, const Job& job, Time now);

// As things are, the job's dependency can never be met.
bool is_hopeless(const Cluster& cluster, const Job& job, Time now);

// Even with the shortest time limit that the job accepts, it would not end by its deadline.
bool misses_deadline(const Job& job, Time now);

// CompleteWait: partitions in which no job starts yet, because a completing job still cleans up its
// nodes. With reduce_completing_frag only jobs on the partition's own nodes count.
std::set<Text> completing_partitions(const Cluster& cluster, Time now);

// Array records with aftercorr pass: their tasks are checked one by one (task_may_run).
Gate gate(const Cluster& cluster, const Job& job, const StartTarget& target, Time now);
bool task_may_run(const Cluster& cluster, const Job& record, std::uint32_t task, Time now);
bool asks_task_by_task(const Job& record);

}  // namespace muster::sched
