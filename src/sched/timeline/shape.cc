// Makes shapes from specifications, and finds equal ones.
#include "sched/timeline/shape.h"

#include <algorithm>
#include <iterator>

#include "sched/place/place.h"
#include "sched/request/loosened.h"
#include "sched/request/memory_rule.h"

namespace muster::sched {

namespace {

constexpr Minutes kLongest = 2 * kNoLimitLeaves;

Reason impossible_because(const Cluster& cluster, const ResourceRequest& r,
                          const Partition& partition) {
  if (partition.max_nodes && r.min_nodes > *partition.max_nodes)
    return Reason::partition_node_limit;
  if (r.max_nodes < partition.min_nodes) return Reason::partition_node_limit;
  if (r.min_nodes > partition.nodes.size()) return Reason::partition_too_small;
  if (exceeds_memory_limit(cluster, r, partition)) return Reason::memory_limit;
  return Reason::none;
}

}  // namespace

Shapes::Shapes(const Cluster& cluster, Time now, NodeIndex& index, bool users_matter)
    : cluster_(cluster),
      now_(now),
      users_matter_(users_matter),
      topology_(switch_nodes(cluster)),
      leaves_(leaf_numbers(topology_)),
      index_(index) {}

std::size_t Shapes::AskedHash::operator()(const Asked& asked) const {
  const std::hash<const void*> hash;
  return (hash(asked.spec) * 31 + hash(asked.target.partition)) * 31 +
         hash(asked.target.reservation) + (asked.waits_for_switches ? 1 : 0);
}

bool Shapes::waits_for_switches(const Job& job) const {
  if (job.spec->switches == 0) return false;
  Seconds patience = job.spec->switches_wait.value_or(cluster_.settings().max_switch_wait);
  return now_ < job.eligible + patience;
}

const Shape& Shapes::shape_for(const Job& job, const StartTarget& target) {
  const Qos* qos = cluster_.find_qos(job.qos);
  const bool exceeds = qos && (qos->over_max_nodes || qos->over_min_nodes);
  const Asked asked{&*job.spec, target, waits_for_switches(job), exceeds ? qos : nullptr};
  auto known = by_spec_.find(asked);
  if (known != by_spec_.end()) return *known->second;
  const Shape& shape = make_shape(asked);
  by_spec_.emplace(asked, &shape);
  return shape;
}

const Shape& Shapes::make_shape(const Asked& asked) {
  const Partition& partition = *asked.target.partition;
  Shape shape{.request = {}, .partition = &partition};
  const auto loose =
      asked.exceeds ? loosened(cluster_, partition, asked.exceeds->name) : std::nullopt;
  const Partition& bounds = loose ? *loose : partition;
  auto request = make_request(cluster_, *asked.spec, bounds);
  if (!request) {
    shape.impossible = Reason::bad_constraints;
    return shared(std::move(shape));
  }
  shape.request = std::move(*request);
  if (!asked.waits_for_switches) shape.request.switches_max = 0;
  if (!topology_.empty()) {
    if (shape.request.max_nodes > 1) shape.request.topology = &topology_;
    shape.request.leaves = &leaves_;
  }
  shape.request.near_first = asks_for_gpus(shape.request) && !shape.request.enforce_binding &&
                             !asked.spec->disable_binding && !shape.request.whole_nodes &&
                             index_.knows_cores_of_gpus();
  if (shape.request.exclusive_user && !users_matter_) {
    // From here on the user matters, so earlier shapes cannot be reused.
    users_matter_ = true;
    by_spec_.clear();
  }
  if (!users_matter_) shape.request.user = {};
  if (const auto most = memory_limit(cluster_, partition).per_node_mib)
    shape.request.memory_on_node_max_mib = *most;
  shape.impossible = impossible_because(cluster_, shape.request, bounds);
  shape.reservation = asked.target.reservation;
  if (shape.reservation) shape.last_end = has_to_end(cluster_, *shape.reservation);
  return shared(std::move(shape));
}

// Most requests do not choose their nodes; they share the list of the partition.
const NodeList& Shapes::candidates_of(const Shape& shape) {
  const ResourceRequest& r = shape.request;
  const Reservation* own = shape.reservation;
  const bool bound = own && !own->has("FLEX") && !own->has("ANY_NODES");
  if (r.excluded_nodes.empty() && r.constraint.each.empty() && !bound)
    return index_.nodes_of(cluster_, *shape.partition);
  NodeList& chosen = chosen_.emplace_back();
  chosen.all = candidates(cluster_, r, *shape.partition);
  if (bound) std::erase_if(chosen.all, [&](NodeId id) { return !own->holds_node(id); });
  std::ranges::copy_if(chosen.all, std::back_inserter(chosen.roomy),
                       [&](NodeId id) { return index_.has_room(id); });
  return chosen;
}

// Returns an equal shape if there is one, or else adds this one.
const Shape& Shapes::shared(Shape shape) {
  const ResourceRequest& r = shape.request;
  std::size_t content = 0;
  for (std::uint64_t part : {std::uint64_t{r.tasks}, std::uint64_t{r.min_nodes},
                             std::uint64_t{r.cpus_per_task}, r.memory_per_cpu_mib.value_or(1),
                             r.memory_per_node_mib.value_or(1), std::uint64_t{r.user.value}})
    content = content * 1000003 + static_cast<std::size_t>(part);
  auto [from, to] = by_content_.equal_range(content);
  for (auto at = from; at != to; ++at) {
    const Shape& other = *at->second;
    if (other.partition == shape.partition && other.reservation == shape.reservation &&
        other.impossible == shape.impossible && other.request == shape.request)
      return other;
  }
  shape.nodes = &candidates_of(shape);
  shapes_.push_back(std::move(shape));
  by_content_.emplace(content, &shapes_.back());
  return shapes_.back();
}

Window window_of(const Shape& shape, Time from, Minutes limit) {
  return {.from = from,
          .until = std::min(from + std::min(limit, kLongest), shape.last_end),
          .partition = shape.partition,
          .reservation = shape.reservation,
          .yields_within = shape.request.yields_within,
          .user = shape.request.user,
          .exclusive_user = shape.request.exclusive_user,
          .holders = shape.request.sharing - 1};
}

std::optional<std::vector<NodeShare>> place_during(const Cluster& cluster, const Shape& shape,
                                                   const Window& window, Profile& profile) {
  Window at_level = window;
  for (std::uint32_t holders = 0; holders <= window.holders; ++holders) {
    at_level.holders = holders;
    // For a start now the nodes are chosen with care; for a promise any will do.
    FreeUpperBoundOn bound;
    if (window.from <= profile.now() && holders == 0)
      bound = [&](NodeId id) { return profile.free_upper_bound(id); };
    auto shares = place(
        cluster, shape.request, profile.worth_asking(*shape.nodes, at_level),
        [&](NodeId id) { return profile.free_during(id, at_level); }, bound);
    if (shares) return shares;
  }
  return std::nullopt;
}

}  // namespace muster::sched
