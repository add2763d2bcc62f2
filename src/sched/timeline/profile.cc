#include "sched/timeline/profile.h"

#include <algorithm>
#include <iterator>

#include "sched/place/gres_fit.h"

namespace muster::sched {

Profile::Profile(const Cluster& cluster, Time now, const NodeIndex& index, ProfileNotes& notes)
    : cluster_(cluster),
      now_(now),
      index_(index),
      notes_(notes),
      has_private_nodes_(index.has_private_jobs()) {
  notes_.resize(index.size());
  for (const Reservation& r : *cluster.reservations)
    if (r.has("TIME_FLOAT") || r.end > now) reservations_.push_back(&r);
  awaited_ = awaited_lenders(cluster, now);
}

Profile::~Profile() {
  for (NodeId node : noted_) notes_[node.value] = {};
}

// Made when a node is first asked for: most are full, or are not looked at.
NodeProfile& Profile::entry(NodeId id) {
  ProfileNote& note = notes_[id.value];
  if (note.entry > 0) return entries_[note.entry - 1];
  const Node& node = cluster_.nodes.at(id);
  std::vector<const Reservation*> here;
  for (const Reservation* r : reservations_)
    if (r->holds_node(id)) here.push_back(r);
  NodeProfile& made = entries_.emplace_back(cluster_, node, now_, std::move(here), awaited_);
  noted_.push_back(id);
  note.entry = static_cast<std::uint32_t>(entries_.size());
  note.full = index_.is_full(id);
  roughs_.push_back(index_.rough(id));
  if (has_private_nodes_)
    node.jobs.each([&](std::uint32_t job) {
      if (keeps_others_out(cluster_, cluster_.jobs.at(JobId{job})))
        made.keep_to(cluster_.jobs.at(JobId{job}).spec->uid);
    });
  return made;
}

void Profile::note_what_is_left(NodeId node) {
  const Free& now = entry(node).now();
  ProfileNote& note = notes_[node.value];
  const bool full = can_be_full(cluster_.nodes.at(node)) && now.cpus.empty();
  if (full && !note.full) ++filled_;
  note.full = full;
  static const GresRequest kGpus{.name = "gpu"};
  Rough& rough = roughs_[note.entry - 1];
  rough.cpus = static_cast<std::uint32_t>(now.cpus.size());
  rough.memory_mib = now.memory_mib;
  rough.gpus = free_devices(now.gres, kGpus);
  rough.untouched = now.untouched;
}

Rough Profile::rough(NodeId node) {
  ++looks_;
  const ProfileNote& note = notes_[node.value];
  Rough rough = note.entry > 0 ? roughs_[note.entry - 1] : index_.rough(node);
  if (note.barred || !available(node)) rough.cpus = 0;
  return rough;
}

// What is full stays so for the rest of a plan, but for trials: the list is shortened from time to
// time.
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

void Profile::bar(NodeId node) {
  if (notes_[node.value].barred) return;
  ++barred_;
  notes_[node.value].barred = true;
  noted_.push_back(node);
}

void Profile::unbar(NodeId node) {
  --barred_;
  notes_[node.value].barred = false;
}

bool Profile::is_reserved(NodeId node, const Window& window) {
  return available(node) && entry(node).is_reserved(window);
}

const Free* Profile::during(NodeId node, const Window& window) {
  if (!is_open(node)) return nullptr;
  if (is_full(node) && window.from <= now_ && window.holders == 0) return nullptr;
  ++questions_;
  if (window.from > now_ && goes_by_soles(window))
    if (const JobId job = sole(node).job; job && window.from < leaves_at(job)) return nullptr;
  return entry(node).during(window);
}

bool Profile::goes_by_soles(const Window& window) const {
  return reservations_.empty() && !has_private_nodes_ && !window.exclusive_user &&
         window.holders == 0 && !window.reservation &&
         !(window.partition && window.partition->max_cpus_per_node);
}

// Mostly it holds the nodes next to one, too.
Time Profile::leaves_at(JobId job) {
  if (job != leaver_) leaves_.front() = sched::leaves_at(cluster_, cluster_.jobs.at(job), now_);
  leaver_ = job;
  return leaves_.front();
}

const std::vector<Time>& Profile::changes(NodeId node) {
  static const std::vector<Time> kNone;
  if (!available(node)) return kNone;
  const NodeIndex::Sole one = reservations_.empty() ? sole(node) : NodeIndex::Sole{};
  if (!one.job) return entry(node).changes();
  leaves_at(one.job);
  return leaves_;
}

void Profile::start(const NodeShare& share, const Window& by) {
  started_.push_back(share);
  entry(share.node).start(started_.back(), by);
  note_what_is_left(share.node);
  has_private_nodes_ |= by.exclusive_user;
}

void Profile::promise(const NodeShare& share, const Window& to) {
  entry(share.node).promise(share, to);
}

Profile::Trial::~Trial() {
  for (auto& [node, entry] : before_) {
    profile_.entry(node) = std::move(entry);
    profile_.note_what_is_left(node);
  }
  --profile_.trials_;
}

void Profile::Trial::give(const Job& job, void (NodeProfile::*back)(const NodeShare&)) {
  for (const NodeShare& share : job.run->allocation) {
    if (!job.run->unfinished.contains(share.node) || !profile_.available(share.node)) continue;
    ++profile_.questions_;  // it costs about as much
    NodeProfile& entry = profile_.entry(share.node);
    before_.try_emplace(share.node, entry);
    (entry.*back)(share);
    profile_.note_what_is_left(share.node);
  }
}

void Profile::Closure::close(const std::vector<NodeShare>& shares) {
  for (const NodeShare& share : shares) {
    profile_.bar(share.node);
    closed_.push_back(share.node);
  }
}

Profile::Closure::~Closure() {
  constexpr std::size_t kNodesToAQuestion = 8;
  profile_.questions_ += profile_.index_.size() / kNodesToAQuestion;
  for (NodeId node : closed_) profile_.unbar(node);
}

}  // namespace muster::sched
