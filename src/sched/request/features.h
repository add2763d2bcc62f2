// --constraint: which nodes have the features that a job asks for.
//   a&b   a|b   (a|b)&c        evaluated from left to right on each node
//   [a|b]                      one of these, the same on all nodes
//   a*4   [a*2&b*3]            this many nodes have it
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"

namespace muster::sched {

struct FeatureTerm {
  bool alternative = false;        // joined to the term before it by "|"
  Text name;                       // if empty, the term is a group:
  std::vector<FeatureTerm> group;  // (...)
  bool operator==(const FeatureTerm&) const = default;
};

struct FeatureCount {
  std::vector<FeatureTerm> what;
  std::uint32_t nodes = 1;
  bool operator==(const FeatureCount&) const = default;
};

struct Constraint {
  std::vector<FeatureTerm> each;               // every node has these; empty = any node
  std::vector<std::vector<FeatureTerm>> same;  // "[a|b]": all nodes have one of these
  std::vector<FeatureCount> counts;
  bool empty() const { return each.empty() && same.empty() && counts.empty(); }
  bool operator==(const Constraint&) const = default;
};

// Fails if the text is malformed or names a feature that no node has.
Result<Constraint> parse_constraint(const Cluster& cluster, std::string_view text);

// All feature names in a constraint text.
std::vector<Text> features_in(std::string_view text);

bool has_features(const Node& node, const std::vector<FeatureTerm>& terms);

}  // namespace muster::sched
