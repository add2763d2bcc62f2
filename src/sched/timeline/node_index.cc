// Updates the index from the rows of nodes and jobs that changed.
#include "sched/timeline/node_index.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "sched/place/free.h"
#include "sched/place/place.h"

namespace muster::sched {

namespace {

// A fast version of free_of(node).cpus.empty().
bool all_cpus_are_used(const Node& node) {
  if (node.used_cpus.empty() || !can_be_full(node)) return false;
  const IdSet::Range& used = node.used_cpus.ranges().front();
  return used.first == 0 && used.last >= std::max(1u, node.config.cpus) - 1;
}

// True for devices that the configuration still has, and that are not shares of GPUs: those come
// back together with their GPU.
bool are_whole_devices(const Node& node, const GresShare& used) {
  return !is_part_of_gpus(used.name) && std::ranges::any_of(node.config.gres, [&](auto& pool) {
    return pool.name == used.name && pool.type == used.type && used.count <= pool.count &&
           used.indices.intersect(pool.indices) == used.indices;
  });
}

bool is_held_by_one(const Node& node) {
  return node.jobs.size() == 1 && node.shared_cpus.layers.empty() &&
         node.used_memory_mib + node.config.memory_spec_limit_mib <= node.config.memory_mib &&
         std::ranges::all_of(node.used_gres,
                             [&](auto& used) { return are_whole_devices(node, used); });
}

bool is_same_hardware(const NodeConfig& a, const NodeConfig& b) {
  auto parts = [](const NodeConfig& c) {
    return std::tie(c.cpus, c.boards, c.sockets, c.cores_per_socket, c.threads_per_core,
                    c.memory_mib, c.tmp_disk_mib, c.memory_spec_limit_mib, c.core_spec_count,
                    c.cpu_spec_list, c.gres);
  };
  return parts(a) == parts(b);
}

std::uint64_t gpus_left(const Node& node) {
  std::uint64_t left = 0;
  for (const GresPool& pool : node.config.gres)
    if (pool.name == "gpu") left += pool.count;
  for (const GresShare& used : node.used_gres)
    if (used.name == "gpu") left -= std::min(left, used.count);
  return left;
}

// `preference` as a number.
std::uint64_t rank_of(const Node& node) {
  const auto [is_off, weight] = preference(node);
  return (is_off ? std::uint64_t{1} << kWeightBits : 0) + weight;
}

bool stand_alike_in_lists(const Node& a, const Node& b) {
  return a.future == b.future && preference(a) == preference(b);
}

}  // namespace

bool can_be_full(const Node& node) {
  return node.config.core_spec_count == 0 && node.config.cpu_spec_list.empty();
}

bool keeps_others_out(const Cluster& cluster, const Job& job) {
  if (job.spec->exclusive_user) return true;
  const Partition* partition = cluster.partition_of(job);
  return partition && partition->exclusive_user;
}

void NodeIndex::update_to(const Cluster& cluster) {
  const bool other_partitions = &*partitions_ != &*cluster.partitions;
  if (other_partitions) {
    partitions_ = cluster.partitions;
    some_partition_is_private_ = std::ranges::any_of(*partitions_, &Partition::exclusive_user);
    lists_.clear();
  }
  states_.resize(cluster.next_node_id.value);
  sole_holders_.resize(states_.size());
  if (&*order_ != &*cluster.node_order) number_nodes(cluster);
  cluster.nodes.each_change_since(nodes_,
                                  [&](const Node* was, const Node* is) { note_node(was, is); });
  nodes_ = cluster.nodes;
  if (other_partitions)
    find_private_jobs(cluster);
  else
    cluster.jobs.each_change_since(
        jobs_, [&](const Job* was, const Job* is) { note_job(cluster, was, is); });
  jobs_ = cluster.jobs;
  lists_.resize((*partitions_).size());
}

void NodeIndex::note_node(const Node* was, const Node* is) {
  if (!was || !is || !stand_alike_in_lists(*was, *is)) lists_.clear();
  const NodeId id = (is ? is : was)->id;
  if (!is_known(id)) return;  // from a cluster that had more nodes
  const bool had_room = has_room(id);
  states_[id.value] = is ? state_of(*is) : State{};  // keeps its position
  sole_holders_[id.value] = is ? sole_holder_of(*is) : SoleHolder{};
  if (has_room(id) == had_room) return;
  for (std::optional<Listed>& listed : lists_)
    if (listed) set_roomy(*listed, id, !had_room);
}

NodeIndex::State NodeIndex::state_of(const Node& node) {
  State state{.available = muster::is_available(node), .bound = upper_bound_of(node)};
  state.full = state.available && all_cpus_are_used(node);
  return state;
}

NodeIndex::SoleHolder NodeIndex::sole_holder_of(const Node& node) const {
  const State& state = states_[node.id.value];
  if (!state.full || !is_held_by_one(node)) return {};
  return {JobId{node.jobs.min()}, state.bound.kind};
}

FreeUpperBound NodeIndex::upper_bound_of(const Node& node) {
  const auto all = static_cast<std::uint32_t>(all_cpus_of(node).size());
  const std::uint64_t memory_used = node.used_memory_mib + node.config.memory_spec_limit_mib;
  return {.cpus = all - std::min(all, static_cast<std::uint32_t>(node.used_cpus.size())),
          .memory_mib = node.config.memory_mib - std::min(node.config.memory_mib, memory_used),
          .gpus = gpus_left(node),
          .untouched = node.jobs.empty(),
          .rank = rank_of(node),
          .place = states_[node.id.value].bound.place,
          .kind = kind_like(node.config)};
}

void NodeIndex::number_nodes(const Cluster& cluster) {
  order_ = cluster.node_order;
  std::uint32_t place = 0;
  for (NodeId id : *order_) states_[id.value].bound.place = place++;
}

bool NodeIndex::knows_cores_of_gpus() const {
  return std::ranges::any_of(kinds_, [](const NodeConfig& kind) {
    return std::ranges::any_of(kind.gres, [](const GresPool& pool) { return !pool.cores.empty(); });
  });
}

std::uint32_t NodeIndex::kind_like(const NodeConfig& config) {
  auto same = [&](const NodeConfig& kind) { return is_same_hardware(kind, config); };
  auto known = std::ranges::find_if(kinds_, same);
  if (known == kinds_.end()) known = kinds_.insert(known, config);
  return static_cast<std::uint32_t>(known - kinds_.begin());
}

void NodeIndex::note_job(const Cluster& cluster, const Job* was, const Job* is) {
  const std::uint32_t id = (is ? is : was)->id.value;
  const bool may_be = is && (is->spec->exclusive_user || some_partition_is_private_);
  if (may_be && cluster.active.contains(id) && keeps_others_out(cluster, *is))
    private_jobs_.insert(id);
  else
    private_jobs_.erase(id);
}

void NodeIndex::find_private_jobs(const Cluster& cluster) {
  private_jobs_ = {};
  cluster.active.each([&](std::uint32_t id) {
    if (keeps_others_out(cluster, cluster.jobs.at(JobId{id}))) private_jobs_.insert(id);
  });
}

const NodeList& NodeIndex::nodes_of(const Cluster& cluster, const Partition& partition) {
  const auto place = static_cast<std::size_t>(&partition - (*partitions_).data());
  CHECK(place < lists_.size());
  if (!lists_[place]) lists_[place] = list(cluster, partition);
  return lists_[place]->nodes;
}

NodeIndex::Listed NodeIndex::list(const Cluster& cluster, const Partition& partition) const {
  Listed listed;
  listed.places.resize(states_.size());
  NodeList& nodes = listed.nodes;
  nodes.all = candidates(cluster, ResourceRequest{}, partition);
  for (std::size_t i = 0; i < nodes.all.size(); ++i) {
    listed.places[nodes.all[i].value] = static_cast<std::uint32_t>(i + 1);
    if (has_room(nodes.all[i])) nodes.roomy.push_back(nodes.all[i]);
  }
  return listed;
}

void NodeIndex::set_roomy(Listed& listed, NodeId node, bool roomy) {
  auto place = [&](NodeId id) { return listed.places[id.value]; };
  if (node.value >= listed.places.size() || place(node) == 0) return;
  auto at = std::ranges::lower_bound(listed.nodes.roomy, place(node), {}, place);
  if (roomy)
    listed.nodes.roomy.insert(at, node);
  else
    listed.nodes.roomy.erase(at);
}

}  // namespace muster::sched
