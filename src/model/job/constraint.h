// Constraint: the features that --constraint, --prefer and --batch ask for.
//   a&b   a|b   (a|b)&c        evaluated from left to right on each node; "," is "&"
//   [a|b]                      one of these, the same on all nodes
//   a*4   [a*2&b*3]            this many nodes have it
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/containers/parsed_text.h"
#include "base/result.h"

namespace muster {

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

inline constexpr std::size_t kLongestConstraint = 64 << 10;  // bytes

Parsed<Constraint> parse_constraint(std::string_view text);

using FeatureExpression = ParsedText<parse_constraint>;

// Asks for nothing if the expression is malformed.
const Constraint& constraint_in(const FeatureExpression& expression);

// All features that are named.
std::vector<Text> features_in(const Constraint& constraint);

}  // namespace muster
