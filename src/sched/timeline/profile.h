// Profile: what is free on every node, now and later (see sched/timeline/node_profile.h). It counts
// the probes, which measure a plan's work.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "model/cluster.h"
#include "sched/place/place.h"
#include "sched/timeline/node_index.h"
#include "sched/timeline/node_profile.h"
#include "sched/timeline/profile_scratch.h"

namespace muster::sched {

class Profile {
 public:
  // The index must be up to date with this cluster.
  Profile(const Cluster& cluster, Time now, const NodeIndex& index, ProfileScratch& scratch);
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  bool available(NodeId node) const { return index_.is_available(node); }
  // A probe: what is free on the node during the whole window; nullptr if nothing is. Valid until
  // the next probe of this node.
  const Free* free_during(NodeId node, const Window& window);
  // The most that is free on a node now; no CPUs if the node cannot be used. This look is cheaper
  // than a probe.
  FreeUpperBound free_upper_bound(NodeId node);
  // The nodes of the list that may have something free in the window. The list must not move.
  const std::vector<NodeId>& worth_asking(const NodeList& nodes, const Window& window);
  // The times after now at which more may become free there, ascending. Valid until the call for
  // another node.
  const std::vector<Time>& changes(NodeId node);
  // The job that holds the whole node: nothing is free there until it leaves, and then everything.
  // Such a node need not be probed. Unset for all other nodes.
  NodeIndex::SoleHolder sole_holder(NodeId node) const {
    const NodeScratch& node_scratch = scratch_[node.value];
    return node_scratch.entry > 0 || node_scratch.blocked ? NodeIndex::SoleHolder{}
                                                          : index_.sole_holder(node);
  }
  // Whether sole holders may be used instead of probes for this window.
  bool can_use_sole_holders(const Window& window) const;
  Time leaves_at(JobId job);
  std::size_t kinds() const { return index_.kinds(); }

  void start(const NodeShare& share, const Window& by);  // it runs until the window's end
  void promise(const NodeShare& share, const Window& to);
  // Other jobs' reservations keep this run away.
  bool is_reserved(NodeId node, const Window& window);
  // From now on nothing on this node is free.
  void block_node(NodeId node);
  bool is_open(NodeId node) const { return available(node) && !scratch_[node.value].blocked; }
  std::size_t blocked_count() const { return blocked_count_; }
  // Could a job that does not share CPUs get some there now?
  bool has_free_cpus(NodeId node) const { return is_open(node) && !is_full(node); }
  bool has_reservations() const { return !reservations_.empty(); }
  // Some node is private to one user.
  bool has_private_nodes() const { return has_private_nodes_; }

  std::uint64_t probes() const {
    constexpr std::uint64_t kLooksPerProbe = 8;
    return probes_ + looks_ / kLooksPerProbe;
  }
  void count_probes(std::uint64_t answered) { probes_ += answered; }  // answered elsewhere
  Time now() const { return now_; }

  class Trial;
  class Closure;

 private:
  bool is_full(NodeId node) const {
    const NodeScratch& node_scratch = scratch_[node.value];
    return node_scratch.entry > 0 ? node_scratch.full : index_.is_full(node);
  }
  NodeProfile& node_profile(NodeId node);
  void update_scratch(NodeId node);
  void unblock_node(NodeId node);

  const Cluster& cluster_;
  Time now_;
  const NodeIndex& index_;
  ProfileScratch& scratch_;
  std::vector<NodeId> touched_;  // nodes whose scratch is not blank
  std::deque<NodeProfile> entries_;
  std::vector<FreeUpperBound> upper_bounds_;      // parallel to the entries
  std::vector<const Reservation*> reservations_;  // those that are not over
  std::set<const Reservation*> awaited_;          // those that lend nodes, but jobs wait for them
  std::deque<NodeShare> started_;                 // shares of jobs that this plan has started
  std::uint64_t probes_ = 0, looks_ = 0;
  std::size_t blocked_count_ = 0;
  std::size_t filled_ = 0;  // nodes that became full
  bool has_private_nodes_ = false;
  std::size_t trials_ = 0;  // in progress
  JobId leaver_;            // the last job passed to leaves_at, and when it leaves:
  std::vector<Time> leaves_{1};
  struct Roomy {  // the nodes of a list that were not full when `filled_` was `filled_then`
    std::vector<NodeId> nodes;
    std::size_t filled_then = 0;
  };
  std::unordered_map<const NodeList*, Roomy> roomy_;
};

// While this object lives, the profile looks as if some jobs were not there.
class Profile::Trial {
 public:
  explicit Trial(Profile& profile) : profile_(profile) { ++profile_.trials_; }
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void release(const Job& job) { give(job, &NodeProfile::release); }            // as if it had left
  void release_cpus(const Job& job) { give(job, &NodeProfile::release_cpus); }  // its CPUs only

 private:
  void give(const Job& job, void (NodeProfile::*back)(const NodeShare&));

  Profile& profile_;
  std::map<NodeId, NodeProfile> before_;  // the nodes that were changed
};

// Jobs that start together share no node: while this object lives, the nodes given to one job are
// closed to the next. Its cost is counted in probes.
class Profile::Closure {
 public:
  explicit Closure(Profile& profile) : profile_(profile) {}
  ~Closure();
  Closure(const Closure&) = delete;
  Closure& operator=(const Closure&) = delete;

  void close(const std::vector<NodeShare>& shares);

 private:
  Profile& profile_;
  std::vector<NodeId> closed_;
};

}  // namespace muster::sched
