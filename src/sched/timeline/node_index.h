// NodeIndex: what a plan has to know of all nodes before it asks about any. It may be kept from one
// plan to the next: then only nodes and jobs that changed in between are looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/cluster.h"
#include "sched/place/place.h"

namespace muster::sched {

struct NodeList {  // in the order of preference
  std::vector<NodeId> all;
  std::vector<NodeId> roomy;  // those that could be used and had free CPUs as the plan began
};

class NodeIndex {
 public:
  // From here on it speaks of this state of the cluster.
  void follow(const Cluster& cluster);

  bool is_known(NodeId node) const { return node.value < states_.size(); }
  std::size_t size() const { return states_.size(); }  // ids are below it
  bool is_available(NodeId node) const { return is_known(node) && states_[node.value].available; }
  // It can be used, and all its CPUs are.
  bool is_full(NodeId node) const { return is_known(node) && states_[node.value].full; }
  bool has_room(NodeId node) const { return is_available(node) && !is_full(node); }
  // The one job that has to do with a node, and all its CPUs: when it leaves, the node is as if
  // nobody had ever been there. Nodes of one kind are alike then. Kinds count from 0.
  struct Sole {
    JobId job;  // unset where there is none
    std::uint32_t kind = 0;
    bool operator==(const Sole&) const = default;
  };
  Sole sole(NodeId node) const { return is_known(node) ? soles_[node.value] : Sole{}; }
  std::size_t kinds() const { return kinds_.size(); }
  bool knows_cores_of_gpus() const;
  // What it has to give, if it can be used.
  Rough rough(NodeId node) const { return states_[node.value].rough; }  // requires is_known
  // Some job shares its nodes with its own user's jobs only.
  bool has_private_jobs() const { return !private_jobs_.empty(); }

  // All nodes of one of the cluster's partitions, for a request that does not say which. Stays
  // valid while this state of the cluster is spoken of.
  const NodeList& nodes_of(const Cluster& cluster, const Partition& partition);

 private:
  struct State {
    bool available = false, full = false;
    Rough rough;
  };
  struct Listed {
    NodeList nodes;
    std::vector<std::uint32_t> places;  // by node id: among `all`, from 1 on; 0 = not there
  };

  void note_node(const Node* was, const Node* is);
  State state_of(const Node& node);
  Sole sole_of(const Node& node) const;
  Rough rough_of(const Node& node);
  void number_nodes(const Cluster& cluster);
  std::uint32_t kind_like(const NodeConfig& config);
  void note_job(const Cluster& cluster, const Job* was, const Job* is);
  void find_private_jobs(const Cluster& cluster);
  Listed list(const Cluster& cluster, const Partition& partition) const;
  static void set_roomy(Listed& listed, NodeId node, bool roomy);

  Table<NodeId, Node> nodes_;  // as they were seen last; so are these
  Table<JobId, Job> jobs_;
  Cow<std::vector<NodeId>> order_{std::vector<NodeId>{}};
  Cow<std::vector<Partition>> partitions_{std::vector<Partition>{}};
  std::vector<State> states_;      // by node id
  std::vector<Sole> soles_;        // likewise; apart, because all of them are gone through
  std::vector<NodeConfig> kinds_;  // an example of each
  std::vector<std::optional<Listed>> lists_;  // parallel to the partitions, made when asked for
  bool some_partition_is_private_ = false;
  IdSet private_jobs_;
};

// CPUs kept for the system may be lent to a job that asks for them: such a node is never full.
bool can_be_full(const Node& node);

// The job shares its nodes with its own user's jobs only.
bool keeps_others_out(const Cluster& cluster, const Job& job);

}  // namespace muster::sched
