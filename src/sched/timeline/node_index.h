// NodeIndex: what a plan needs to know about all nodes before it probes any. It can be kept from
// one plan to the next: an update then examines only nodes and jobs that changed in between.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/cluster.h"
#include "sched/place/place.h"

namespace muster::sched {

struct NodeList {  // in order of preference
  std::vector<NodeId> all;
  std::vector<NodeId> roomy;  // available nodes that had free CPUs when the plan began
};

class NodeIndex {
 public:
  // Brings the index up to date with this state of the cluster.
  void update_to(const Cluster& cluster);

  bool is_known(NodeId node) const { return node.value < states_.size(); }
  std::size_t size() const { return states_.size(); }  // all ids are below it
  bool is_available(NodeId node) const { return is_known(node) && states_[node.value].available; }
  // The node is available, and all its CPUs are in use.
  bool is_full(NodeId node) const { return is_known(node) && states_[node.value].full; }
  bool has_room(NodeId node) const { return is_available(node) && !is_full(node); }
  // The only job on a node, which holds all its CPUs. When it leaves, the node is empty, and empty
  // nodes of one kind of hardware are alike. Kinds are numbered from 0.
  struct SoleHolder {
    JobId job;  // unset if there is no such job
    std::uint32_t kind = 0;
    bool operator==(const SoleHolder&) const = default;
  };
  SoleHolder sole_holder(NodeId node) const {
    return is_known(node) ? sole_holders_[node.value] : SoleHolder{};
  }
  std::size_t kinds() const { return kinds_.size(); }
  bool knows_cores_of_gpus() const;
  // What the node can give at most, if it is available.
  FreeUpperBound free_upper_bound(NodeId node) const {
    return states_[node.value].bound;
  }  // requires is_known
  // Some job shares its nodes only with jobs of the same user.
  bool has_private_jobs() const { return !private_jobs_.empty(); }

  // All nodes of a partition, for requests that do not choose nodes. Stays valid until the next
  // update.
  const NodeList& nodes_of(const Cluster& cluster, const Partition& partition);

 private:
  struct State {
    bool available = false, full = false;
    FreeUpperBound bound;
  };
  struct Listed {
    NodeList nodes;
    std::vector<std::uint32_t> places;  // by node id: index in `all` plus 1; 0 = not there
  };

  void note_node(const Node* was, const Node* is);
  State state_of(const Node& node);
  SoleHolder sole_holder_of(const Node& node) const;
  FreeUpperBound upper_bound_of(const Node& node);
  void number_nodes(const Cluster& cluster);
  std::uint32_t kind_like(const NodeConfig& config);
  void note_job(const Cluster& cluster, const Job* was, const Job* is);
  void find_private_jobs(const Cluster& cluster);
  Listed list(const Cluster& cluster, const Partition& partition) const;
  static void set_roomy(Listed& listed, NodeId node, bool roomy);

  Table<NodeId, Node> nodes_;  // these four are as of the last update
  Table<JobId, Job> jobs_;
  Cow<std::vector<NodeId>> order_{std::vector<NodeId>{}};
  Cow<std::vector<Partition>> partitions_{std::vector<Partition>{}};
  std::vector<State> states_;                 // by node id
  std::vector<SoleHolder> sole_holders_;      // by node id; apart from the states for fast scans
  std::vector<NodeConfig> kinds_;             // an example of each kind
  std::vector<std::optional<Listed>> lists_;  // parallel to the partitions, made when needed
  bool some_partition_is_private_ = false;
  IdSet private_jobs_;
};

// A node with CPUs kept for the system is never full, because a job may ask for these CPUs.
bool can_be_full(const Node& node);

// The job shares its nodes only with jobs of the same user.
bool keeps_others_out(const Cluster& cluster, const Job& job);

}  // namespace muster::sched
