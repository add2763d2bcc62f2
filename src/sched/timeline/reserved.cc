// Access to reserved nodes, borrowed nodes (MaxStartDelay), and when jobs have to leave.
#include "sched/timeline/reserved.h"

#include <algorithm>

#include "base/text/duration.h"
#include "base/text/strings.h"

namespace muster::sched {

namespace {

// The reservation's jobs may also use other nodes.
bool is_loose(const Reservation& r) { return r.has("FLEX") || r.has("ANY_NODES"); }

bool is_over(const Reservation& r, Time now) { return !r.has("TIME_FLOAT") && r.end <= now; }

// When a running job will have ended: by its time limit, a preemption or a cancellation.
Time ends_at(const Job& job, Time now) {
  Time soon = now + Seconds{1};
  if (job.run->ending || is_ended(job.state)) return soon;
  if (job.run->preemption) return std::max(soon, job.run->preemption->kill_at);
  Time limit = job.end_limit();
  if (job.run->awaits_turn && job.time_limit != kUnlimited)
    limit = now + job.time_limit - job.run_time(now);
  return std::max(soon, std::min(limit, now + kNoLimitLeaves));
}

}  // namespace

IdSet Access::usable(IdSet cpus) const {
  cpus.subtract(reserved_cpus);
  return only ? cpus.intersect(*only) : cpus;
}

Access access(const std::vector<const Reservation*>& reservations, const Visit& visit) {
  Access result;
  const Reservation* own = visit.own;
  result.closed = own && !own->has("FLEX") && visit.from >= own->end;
  for (const Reservation* r : reservations) {
    if (r == own) {
      if (!is_loose(*r)) result.only = r->cpus_on(visit.node);
      continue;
    }
    if (own && may_overlap(*r, *own)) continue;
    if (!r->reaches_into(visit.from, visit.until)) continue;
    if (visit.yields_within && lends_to(*r, *visit.yields_within) &&
        !(visit.awaited && visit.awaited->contains(r)))
      continue;
    if (const IdSet* part = r->cpus_on(visit.node))
      result.reserved_cpus.merge(*part);
    else
      result.closed = true;
  }
  return result;
}

void narrow(Free& free, const Access& access) {
  if (!access.is_limited()) return;
  free.cpus = access.usable(std::move(free.cpus));
  free.untouched = false;  // others use the rest of the node, now or later
}

std::vector<const Reservation*> reservations_of(const Cluster& cluster, NodeId node, Time now) {
  std::vector<const Reservation*> found;
  for (const Reservation& r : *cluster.reservations)
    if (!is_over(r, now) && r.holds_node(node)) found.push_back(&r);
  return found;
}

std::vector<const Reservation*> reservation_choices(const Cluster& cluster, const Job& job,
                                                    Time now) {
  std::vector<const Reservation*> found;
  const JobSpec& spec = *job.spec;
  if (!spec.reservation.empty()) {
    for (const Text& name : spec.reservation.parsed())
      if (const Reservation* r = cluster.find_reservation(name)) found.push_back(r);
    if (found.empty()) found.push_back(nullptr);
    return found;
  }
  for (const Reservation& r : *cluster.reservations)
    if (r.has("MAGNETIC") && r.is_active(now) && !job.is_het() &&
        r.admits(spec.user_name, job.account))
      found.push_back(&r);
  found.push_back(nullptr);
  return found;
}

bool lends_to(const Reservation& reservation, Seconds yields_within) {
  return reservation.max_start_delay > Seconds{0} && yields_within <= reservation.max_start_delay;
}

std::set<const Reservation*> awaited_lenders(const Cluster& cluster, Time now) {
  std::set<const Reservation*> found;
  const bool any_lends = std::ranges::any_of(
      *cluster.reservations, [](const Reservation& r) { return r.max_start_delay > Seconds{0}; });
  if (!any_lends) return found;
  for (std::uint32_t id : cluster.pending.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.spec->reservation.empty() || job.hold != Hold::none || job.eligible > now) continue;
    for (const Reservation* r : reservation_choices(cluster, job, now))
      if (r) found.insert(r);
  }
  return found;
}

bool borrows_from(const Reservation& reservation, const Job& job) {
  const WarnSignal& signal = job.spec->warn_signal;
  return signal.yields_to_reservation && job.run->reservation != reservation.name &&
         lends_to(reservation, Seconds{signal.seconds_before_end}) &&
         std::ranges::any_of(job.run->unfinished,
                             [&](NodeId node) { return reservation.holds_node(node); });
}

Time has_to_end(const Cluster& cluster, const Reservation& reservation) {
  const Minutes overrun = cluster.settings().reservation_overrun;
  if (overrun == kUnlimited || reservation.has("FLEX")) return Time::max();
  return reservation.end + overrun;
}

Time leaves_at(const Cluster& cluster, const Job& job, Time now) {
  Time at = ends_at(job, now);
  if (!job.run->reservation.empty())
    if (const Reservation* r = cluster.find_reservation(job.run->reservation))
      at = std::min(at, std::max(now + Seconds{1}, has_to_end(cluster, *r)));
  return at;
}

}  // namespace muster::sched
