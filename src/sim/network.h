// Network: connections between the simulated controller and its nodes. They are slow, break, and
// are blocked for a while.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "sim/fake_node.h"
#include "sim/schedule.h"

namespace muster::sim {

using Link = std::uint64_t;  // 0 = not connected

class Network {
 public:
  explicit Network(Schedule& schedule) : schedule_(schedule) {}

  // Connects the two, unless they are connected or something blocks the way.
  void connect(FakeNode& node);
  bool may_connect(const FakeNode& node) const { return !cut_off_.contains(&node); }
  Link link_of(const FakeNode& node) const;
  FakeNode* node_behind(Link link) const;
  // Messages of a connection arrive in order after a delay, or not at all if it breaks before.
  void deliver(Link link, std::function<void()> message);
  Link break_link(FakeNode& node);  // returns the link that it had
  void break_all();
  Link cut_off(FakeNode& node, Millis span);

 private:
  Schedule& schedule_;
  std::map<Link, FakeNode*> links_;
  std::map<Link, Time> last_delivery_;
  Link last_link_ = 100;
  std::set<const FakeNode*> cut_off_;
};

}  // namespace muster::sim
