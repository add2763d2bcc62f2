// Switch: one line of topology.conf. Leaf switches connect nodes; the others connect switches.
#pragma once

#include <cstdint>
#include <vector>

#include "base/containers/text.h"

namespace muster {

struct Switch {
  Text name;
  std::uint32_t level = 0;     // 0 for a leaf; else one more than the highest switch below it
  Text nodes_text;             // all nodes below it, as a host list
  Text switches_text;          // the switches right below it, as configured; empty for a leaf
  std::vector<Text> nodes;     // all below it
  std::vector<Text> switches;  // right below it
  std::uint32_t link_speed = 1;
  bool operator==(const Switch&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, level);
    v(3, nodes_text);
    v(4, switches_text);
    v(5, nodes);
    v(6, switches);
    v(7, link_speed);
  }
};

}  // namespace muster
