// Events of nodes (see event.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/containers/text.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/cluster.h"

namespace muster {

struct NodeRegistered {
  NodeId node;
  NodeFacts facts;
  Time at;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, facts);
    v(3, at);
  }
};

// Why a node is out of service or soon will be, who said so and when. An event without a reason
// leaves the node's reason as it is; an empty reason removes it.
struct NodeReason {
  Text text;
  Uid by;
  Time at;
  bool operator==(const NodeReason&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, text);
    v(2, by);
    v(3, at);
  }
};

struct NodeCameUp {  // it is up and answers
  NodeId node;
  std::optional<NodeReason> reason = {};
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, reason);
  }
};

struct NodeAnswered {  // its slurmd answers, but the node stays down
  NodeId node;
  template <class V>
  void fields(V& v) {
    v(1, node);
  }
};

struct NodeFellSilent {  // it does not answer; it is not down yet
  NodeId node;
  std::optional<NodeReason> reason = {};
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, reason);
  }
};

struct NodeWentDown {
  NodeId node;
  std::optional<NodeReason> reason = {};
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, reason);
  }
};

struct NodeDrained {  // it gets no new jobs
  NodeId node;
  bool fail = false;  // FAIL instead of DRAIN
  std::optional<NodeReason> reason = {};
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, fail);
    v(3, reason);
  }
};

struct NodeUndrained {  // ends both DRAIN and FAIL
  NodeId node;
  std::optional<NodeReason> reason = {};
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, reason);
  }
};

// An administrator put it back into service: it is up, neither drained, failing nor FUTURE, and its
// reason is removed.
struct NodeResumed {
  NodeId node;
  bool responding = false;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, responding);
  }
};

struct NodeMadeFuture {  // FUTURE: it has no machine until one claims it
  NodeId node;
  template <class V>
  void fields(V& v) {
    v(1, node);
  }
};

struct NodeClaimed {  // by a machine (slurmd -F) that has not registered yet
  NodeId node;
  NodeClaim by;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, by);
  }
};

// powering_down ends a drain, because the node was drained for it; powering_up ends DOWN. A node
// that is off does not answer, and its given address is removed: the next machine reports its own.
struct NodePowerChanged {
  NodeId node;
  PowerPhase phase = PowerPhase::on;
  Time at;
  std::optional<NodeReason> reason = {};
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, phase);
    v(3, at);
    v(4, reason);
  }
};

struct NodePowerDownAsked {  // it powers down as soon as it has no jobs
  NodeId node;
  bool withdrawn = false;  // the request is withdrawn
  std::optional<NodeReason> reason = {};
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, withdrawn);
    v(3, reason);
  }
};

struct NodeRebootAsked {
  NodeId node;
  bool asap = false;     // the node is drained for it
  Text next_state = {};  // see NodeReboot
  Time at;
  std::optional<NodeReason> reason = {};
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, asap);
    v(3, next_state);
    v(4, at);
    v(5, reason);
  }
};

struct NodeRebootIssued {
  NodeId node;
  Time at;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, at);
  }
};

struct NodeRebootEnded {  // it is back, late, or the request was cancelled
  NodeId node;
  bool undrains = false;  // it was drained for the reboot
  std::optional<NodeReason> reason = {};
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, undrains);
    v(3, reason);
  }
};

struct NodeGres {
  Text text;
  std::vector<GresPool> pools;
  bool operator==(const NodeGres&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, text);
    v(2, pools);
  }
};

struct NodeUpdated {  // the values that an administrator set
  NodeId node;
  std::optional<NodeReason> reason = {};
  std::optional<Text> comment = {}, extra = {};
  std::optional<std::uint32_t> weight = {};
  std::optional<std::vector<Text>> available_features = {}, active_features = {};
  std::optional<Text> cpu_bind = {};
  std::optional<NodeGres> gres = {};
  std::optional<NodeClaim> given = {};  // host name and address of its machine
  bool operator==(const NodeUpdated&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, reason);
    v(3, comment);
    v(4, extra);
    v(5, weight);
    v(6, available_features);
    v(7, active_features);
    v(8, cpu_bind);
    v(9, gres);
    v(10, given);
  }
};

struct NodeAdded {  // a node that is in no configuration file
  NodeConfig config;
  std::vector<Text> partitions;
  template <class V>
  void fields(V& v) {
    v(1, config);
    v(2, partitions);
  }
};

struct NodeRemoved {
  NodeId node;
  template <class V>
  void fields(V& v) {
    v(1, node);
  }
};

}  // namespace muster
