// Delays messages, keeps them in order on each connection, and loses them when it breaks.
#include "sim/network.h"

#include <algorithm>

namespace muster::sim {

void Network::connect(FakeNode& node) {
  if (link_of(node) || cut_off_.contains(&node)) return;
  links_[++last_link_] = &node;
  node.on_connected();
}

Link Network::link_of(const FakeNode& node) const {
  for (const auto& [link, linked] : links_)
    if (linked == &node) return link;
  return 0;
}

FakeNode* Network::node_behind(Link link) const {
  auto at = links_.find(link);
  return at == links_.end() ? nullptr : at->second;
}

void Network::deliver(Link link, std::function<void()> message) {
  const Millis delay{schedule_.between(0, schedule_.chance(5) ? 3000 : 20)};
  Time& last = last_delivery_[link];
  last = std::max(last, schedule_.now() + delay);
  schedule_.at(last, [this, link, message = std::move(message)] {
    if (links_.contains(link)) message();
  });
}

Link Network::break_link(FakeNode& node) {
  const Link link = link_of(node);
  if (!link) return 0;
  links_.erase(link);
  node.on_disconnected();
  return link;
}

void Network::break_all() {
  auto links = std::move(links_);
  links_.clear();
  for (auto& [link, node] : links) node->on_disconnected();
}

Link Network::cut_off(FakeNode& node, Millis span) {
  cut_off_.insert(&node);
  schedule_.after(span, [this, &node] { cut_off_.erase(&node); });
  return break_link(node);
}

}  // namespace muster::sim
