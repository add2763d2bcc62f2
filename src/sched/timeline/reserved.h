// Reservations as placement sees them: which ones a job may use, and what the others leave to it.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "model/cluster.h"
#include "sched/place/free.h"

namespace muster::sched {

// A run on one node, in its own reservation if it has one.
struct Visit {
  NodeId node;
  Time from, until;
  const Reservation* own = nullptr;
  std::optional<Seconds> yields_within;  // --signal=R: it leaves so soon after a notice
  const std::set<const Reservation*>* awaited = nullptr;  // these lend nothing
};

// What reservations leave of that node.
struct Access {
  bool closed = false;          // nothing
  IdSet barred;                 // everything but these CPUs
  const IdSet* only = nullptr;  // these CPUs, which the run's own reservation has there

  bool is_limited() const { return only || !barred.empty(); }
  IdSet usable(IdSet cpus) const;
};

// The given ones are those that hold something of the node.
Access access(const std::vector<const Reservation*>& reservations, const Visit& visit);
void narrow(Free& free, const Access& access);

// Those that hold something of a node, now or later.
std::vector<const Reservation*> reservations_of(const Cluster& cluster, NodeId node, Time now);

// Where the job may be started, in this order: nullptr stands for outside of all. A job that names
// only reservations that are gone has but that.
std::vector<const Reservation*> choices(const Cluster& cluster, const Job& job, Time now);

// May a run that leaves so soon after a notice use what is reserved?
bool lends_to(const Reservation& reservation, Seconds yields_within);
// Reservations that lend nodes, but not now: jobs wait for them.
std::set<const Reservation*> awaited_lenders(const Cluster& cluster, Time now);
// Is this job on nodes that the reservation lent to it?
bool borrows_from(const Reservation& reservation, const Job& job);

// When a run in this reservation has to be over; Time::max() if it may go on after it.
Time has_to_end(const Cluster& cluster, const Reservation& reservation);

// A job without a time limit counts as one that runs this long.
inline constexpr Minutes kNoLimitLeaves{525600};

// When a job that holds nodes will have left them, as far as is known.
Time leaves_at(const Cluster& cluster, const Job& job, Time now);

}  // namespace muster::sched
