// reserved: which reservations a job may use, and what the others leave to it.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "model/cluster.h"
#include "sched/place/free.h"

namespace muster::sched {

// A planned run on one node, and its own reservation if it has one.
struct Visit {
  NodeId node;
  Time from, until;
  const Reservation* own = nullptr;
  std::optional<Seconds> yields_within;  // --signal=R: ends this soon after a notice
  const std::set<const Reservation*>* awaited = nullptr;  // reservations that lend nothing
};

// What reservations leave of the node.
struct Access {
  bool closed = false;          // the run may not use the node
  IdSet reserved_cpus;          // it may not use these CPUs
  const IdSet* only = nullptr;  // it may only use these CPUs of its own reservation

  bool is_limited() const { return only || !reserved_cpus.empty(); }
  IdSet usable(IdSet cpus) const;
};

// `reservations` are those that hold a part of the node.
Access access(const std::vector<const Reservation*>& reservations, const Visit& visit);
void narrow(Free& free, const Access& access);

// The reservations that hold a part of the node, now or later.
std::vector<const Reservation*> reservations_of(const Cluster& cluster, NodeId node, Time now);

// The reservations in which the job may start, in order of preference; nullptr stands for outside
// all reservations. If all reservations that a job names are gone, nullptr is the only choice.
std::vector<const Reservation*> reservation_choices(const Cluster& cluster, const Job& job,
                                                    Time now);

// MaxStartDelay: may a run that ends this soon after a notice use the reserved nodes meanwhile?
bool lends_to(const Reservation& reservation, Seconds yields_within);
// Reservations that would lend nodes, but have jobs of their own waiting.
std::set<const Reservation*> awaited_lenders(const Cluster& cluster, Time now);
// Does the job run on nodes that it borrows from this reservation?
bool borrows_from(const Reservation& reservation, const Job& job);

// When a run in this reservation has to end; Time::max() if it may outlast the reservation.
Time has_to_end(const Cluster& cluster, const Reservation& reservation);

// A job without a time limit is assumed to run this long.
inline constexpr Minutes kNoLimitLeaves{525600};

// When a job that holds nodes will have left them, as far as is known.
Time leaves_at(const Cluster& cluster, const Job& job, Time now);

}  // namespace muster::sched
