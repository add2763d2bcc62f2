// Makes node profiles when they are needed, and keeps the cheap data about every node up to date.
#include "sched/timeline/profile.h"

#include <algorithm>
#include <iterator>

#include "sched/place/gres_fit.h"

namespace muster::sched {

Profile::Profile(const Cluster& cluster, Time now, const NodeIndex& index, ProfileScratch& scratch)
    : cluster_(cluster),
      now_(now),
      index_(index),
      scratch_(scratch),
      has_private_nodes_(index.has_private_jobs()) {
  scratch_.resize(index.size());
  for (const Reservation& r : *cluster.reservations)
    if (r.has("TIME_FLOAT") || r.end > now) reservations_.push_back(&r);
  awaited_ = awaited_lenders(cluster, now);
}

Profile::~Profile() {
  for (NodeId node : touched_) scratch_[node.value] = {};
}

// Made when a node is first probed: most nodes are full, or are never examined.
NodeProfile& Profile::node_profile(NodeId id) {
  NodeScratch& node_scratch = scratch_[id.value];
  if (node_scratch.entry > 0) return entries_[node_scratch.entry - 1];
  const Node& node = cluster_.nodes.at(id);
  std::vector<const Reservation*> here;
  for (const Reservation* r : reservations_)
    if (r->holds_node(id)) here.push_back(r);
  NodeProfile& made = entries_.emplace_back(cluster_, node, now_, std::move(here), awaited_);
  touched_.push_back(id);
  node_scratch.entry = static_cast<std::uint32_t>(entries_.size());
  node_scratch.full = index_.is_full(id);
  upper_bounds_.push_back(index_.free_upper_bound(id));
  if (has_private_nodes_)
    node.jobs.each([&](std::uint32_t job) {
      if (keeps_others_out(cluster_, cluster_.jobs.at(JobId{job})))
        made.keep_to(cluster_.jobs.at(JobId{job}).spec->uid);
    });
  return made;
}

void Profile::update_scratch(NodeId node) {
  const Free& now = node_profile(node).now();
  NodeScratch& node_scratch = scratch_[node.value];
  const bool full = can_be_full(cluster_.nodes.at(node)) && now.cpus.empty();
  if (full && !node_scratch.full) ++filled_;
  node_scratch.full = full;
  static const GresRequest kGpus{.name = "gpu"};
  FreeUpperBound& bound = upper_bounds_[node_scratch.entry - 1];
  bound.cpus = static_cast<std::uint32_t>(now.cpus.size());
  bound.memory_mib = now.memory_mib;
  bound.gpus = free_devices(now.gres, kGpus);
  bound.untouched = now.untouched;
}

FreeUpperBound Profile::free_upper_bound(NodeId node) {
  ++looks_;
  const NodeScratch& node_scratch = scratch_[node.value];
  FreeUpperBound bound = node_scratch.entry > 0 ? upper_bounds_[node_scratch.entry - 1]
                                                : index_.free_upper_bound(node);
  if (node_scratch.blocked || !available(node)) bound.cpus = 0;
  return bound;
}

// Outside trials a full node stays full for the rest of a plan, so the list is shortened from time
// to time.
const std::vector<NodeId>& Profile::worth_asking(const NodeList& nodes, const Window& window) {
  if (window.from > now_ || window.holders > 0 || trials_ > 0) return nodes.all;
  const auto known = roomy_.find(&nodes);
  const std::vector<NodeId>& roomy = known == roomy_.end() ? nodes.roomy : known->second.nodes;
  const std::size_t filled_then = known == roomy_.end() ? 0 : known->second.filled_then;
  if (filled_ <= filled_then + roomy.size() / 4) return roomy;
  std::vector<NodeId> left;
  std::ranges::remove_copy_if(roomy, std::back_inserter(left),
                              [&](NodeId id) { return is_full(id); });
  return roomy_.insert_or_assign(&nodes, Roomy{std::move(left), filled_}).first->second.nodes;
}

void Profile::block_node(NodeId node) {
  if (scratch_[node.value].blocked) return;
  ++blocked_count_;
  scratch_[node.value].blocked = true;
  touched_.push_back(node);
}

void Profile::unblock_node(NodeId node) {
  --blocked_count_;
  scratch_[node.value].blocked = false;
}

bool Profile::is_reserved(NodeId node, const Window& window) {
  return available(node) && node_profile(node).is_reserved(window);
}

const Free* Profile::free_during(NodeId node, const Window& window) {
  if (!is_open(node)) return nullptr;
  if (is_full(node) && window.from <= now_ && window.holders == 0) return nullptr;
  ++probes_;
  if (window.from > now_ && can_use_sole_holders(window))
    if (const JobId job = sole_holder(node).job; job && window.from < leaves_at(job))
      return nullptr;
  return node_profile(node).free_during(window);
}

bool Profile::can_use_sole_holders(const Window& window) const {
  return reservations_.empty() && !has_private_nodes_ && !window.exclusive_user &&
         window.holders == 0 && !window.reservation &&
         !(window.partition && window.partition->max_cpus_per_node);
}

// Keeps the last answer: a job mostly holds the neighbouring nodes too.
Time Profile::leaves_at(JobId job) {
  if (job != leaver_) leaves_.front() = sched::leaves_at(cluster_, cluster_.jobs.at(job), now_);
  leaver_ = job;
  return leaves_.front();
}

const std::vector<Time>& Profile::changes(NodeId node) {
  static const std::vector<Time> kNone;
  if (!available(node)) return kNone;
  const NodeIndex::SoleHolder one =
      reservations_.empty() ? sole_holder(node) : NodeIndex::SoleHolder{};
  if (!one.job) return node_profile(node).changes();
  leaves_at(one.job);
  return leaves_;
}

void Profile::start(const NodeShare& share, const Window& by) {
  started_.push_back(share);
  node_profile(share.node).start(started_.back(), by);
  update_scratch(share.node);
  has_private_nodes_ |= by.exclusive_user;
}

void Profile::promise(const NodeShare& share, const Window& to) {
  node_profile(share.node).promise(share, to);
}

Profile::Trial::~Trial() {
  for (auto& [node, entry] : before_) {
    profile_.node_profile(node) = std::move(entry);
    profile_.update_scratch(node);
  }
  --profile_.trials_;
}

void Profile::Trial::give(const Job& job, void (NodeProfile::*back)(const NodeShare&)) {
  for (const NodeShare& share : job.run->allocation) {
    if (!job.run->unfinished.contains(share.node) || !profile_.available(share.node)) continue;
    ++profile_.probes_;  // costs about as much
    NodeProfile& entry = profile_.node_profile(share.node);
    before_.try_emplace(share.node, entry);
    (entry.*back)(share);
    profile_.update_scratch(share.node);
  }
}

void Profile::Closure::close(const std::vector<NodeShare>& shares) {
  for (const NodeShare& share : shares) {
    profile_.block_node(share.node);
    closed_.push_back(share.node);
  }
}

Profile::Closure::~Closure() {
  constexpr std::size_t kNodesPerProbe = 8;
  profile_.probes_ += profile_.index_.size() / kNodesPerProbe;
  for (NodeId node : closed_) profile_.unblock_node(node);
}

}  // namespace muster::sched
