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

struct NodeGres {
  Text text;
  std::vector<GresPool> pools;
  template <class V>
  void fields(V& v) {
    v(1, text);
    v(2, pools);
  }
};

struct NodeChanged {  // the new values of health, drain and so on
  NodeId node;
  NodeHealth health = NodeHealth::unknown;
  bool drain = false, fail = false, future = false, responding = false;
  Text reason;
  Uid reason_uid;
  Time reason_time;
  Text comment;
  std::vector<Text> active_features;
  std::uint32_t weight = 1;
  NodePower power;
  NodeReboot reboot;
  NodeClaim claim, given;
  Text extra;
  // Set if they were changed.
  std::optional<std::vector<Text>> available_features;
  std::optional<Text> cpu_bind;
  std::optional<NodeGres> gres;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, health);
    v(3, drain);
    v(4, fail);
    v(5, future);
    v(6, responding);
    v(7, reason);
    v(8, reason_uid);
    v(9, reason_time);
    v(10, comment);
    v(11, active_features);
    v(12, weight);
    v(120, power);
    v(121, reboot);
    v(240, claim);
    v(241, available_features);
    v(320, given);
    v(321, extra);
    v(400, cpu_bind);
    v(401, gres);
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
