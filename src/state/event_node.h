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

// Why a node is out of service or soon will be, who said so and when. Empty: there is no reason any
// more. In events it is optional: unset, the reason stays what it is.
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

struct NodeCameUp {  // it answers and may work
  NodeId node;
  std::optional<NodeReason> reason = {};
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, reason);
  }
};

struct NodeAnswered {  // its slurmd speaks, but what kept it down still does
  NodeId node;
  template <class V>
  void fields(V& v) {
    v(1, node);
  }
};

struct NodeFellSilent {
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

struct NodeDrained {  // it gets no further jobs
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

struct NodeUndrained {  // neither DRAIN nor FAIL any more
  NodeId node;
  std::optional<NodeReason> reason = {};
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, reason);
  }
};

// An administrator put it back into service: nothing keeps it out any more, and there is no reason.
struct NodeResumed {
  NodeId node;
  bool responding = false;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, responding);
  }
};

struct NodeMadeFuture {  // no machine stands for it until one claims it
  NodeId node;
  template <class V>
  void fields(V& v) {
    v(1, node);
  }
};

struct NodeClaimed {  // by a machine (slurmd -F), which is yet to register
  NodeId node;
  NodeClaim by;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, by);
  }
};

// Powering down, it is no longer drained: it was for this. Powering up, it is no longer down. Off,
// it does not answer, and the next machine reports an address of its own.
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

struct NodePowerDownAsked {  // it powers down as soon as nothing runs there
  NodeId node;
  bool withdrawn = false;  // it need not any more
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

struct NodeRebootEnded {  // it is back, or late, or need not reboot any more
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

struct NodeUpdated {  // an administrator set these
  NodeId node;
  std::optional<NodeReason> reason = {};
  std::optional<Text> comment = {}, extra = {};
  std::optional<std::uint32_t> weight = {};
  std::optional<std::vector<Text>> available_features = {}, active_features = {};
  std::optional<Text> cpu_bind = {};
  std::optional<NodeGres> gres = {};
  std::optional<NodeClaim> given = {};  // where its machine is
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

struct NodeAdded {  // a node that is in no file
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
