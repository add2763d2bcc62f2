#include "sched/shape.h"

#include <algorithm>

#include "sched/place.h"

namespace muster::sched {

namespace {

constexpr Minutes kLongest = 2 * kNoLimitLeaves;

Reason impossible_because(const Cluster& cluster, const Request& r, const Partition& partition) {
  if (partition.max_nodes && r.min_nodes > *partition.max_nodes)
    return Reason::partition_node_limit;
  if (r.min_nodes > partition.nodes.size() || r.max_nodes < partition.min_nodes)
    return Reason::partition_config;
  const auto most = memory_limit(cluster, partition).per_node_mib;
  if (most && r.memory_per_node_mib > most) return Reason::memory_limit;
  return Reason::none;
}

}  // namespace

bool Shapes::waits_for_switches(const Job& job) const {
  if (job.spec->switches == 0) return false;
  Seconds patience = job.spec->switches_wait.value_or(cluster_.settings().max_switch_wait);
  return now_ < job.eligible + patience;
}

const Shape& Shapes::of(const Job& job, const Venue& venue) {
  const Partition& partition = *venue.partition;
  const bool waits = waits_for_switches(job);
  auto [at, fresh] = known_.try_emplace({&*job.spec, &partition, venue.reservation, waits});
  Shape& shape = at->second;
  if (!fresh) return shape;
  shape.partition = &partition;
  auto request = make_request(cluster_, *job.spec, partition);
  if (!request) {
    shape.impossible = Reason::bad_constraints;
    return shape;
  }
  shape.request = std::move(*request);
  if (!waits) shape.request.switches_max = 0;
  shape.impossible = impossible_because(cluster_, shape.request, partition);
  shape.nodes = candidates(cluster_, shape.request, partition);
  const Reservation* r = venue.reservation;
  if (!r) return shape;
  shape.reservation = r;
  shape.last_end = has_to_end(cluster_, *r);
  if (!r->has("FLEX") && !r->has("ANY_NODES"))
    std::erase_if(shape.nodes, [&](NodeId id) { return !r->holds_node(id); });
  return shape;
}

Window window_of(const Shape& shape, Time from, Minutes limit) {
  return {.from = from,
          .until = std::min(from + std::min(limit, kLongest), shape.last_end),
          .partition = shape.partition,
          .reservation = shape.reservation,
          .user = shape.request.user,
          .exclusive_user = shape.request.exclusive_user,
          .holders = shape.request.sharing - 1};
}

std::optional<std::vector<NodeShare>> place_during(const Cluster& cluster, const Shape& shape,
                                                   const Window& window, Profile& profile) {
  Window at_level = window;
  for (std::uint32_t holders = 0; holders <= window.holders; ++holders) {
    at_level.holders = holders;
    auto shares = place(cluster, shape.request, shape.nodes,
                        [&](NodeId id) { return profile.during(id, at_level); });
    if (shares) return shares;
  }
  return std::nullopt;
}

}  // namespace muster::sched
