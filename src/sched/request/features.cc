// Says which features exist, and which nodes have them.
#include "sched/request/features.h"

#include <algorithm>

namespace muster::sched {

namespace {

bool feature_exists(const Cluster& cluster, const Text& feature) {
  bool found = false;
  cluster.nodes.each([&](const Node& node) {
    for (const auto* have : {&node.config.features, &node.active_features})
      found = found || std::ranges::find(*have, feature) != have->end();
  });
  return found;
}

}  // namespace

Result<void> check_features(const Cluster& cluster, const FeatureExpression& wanted) {
  if (!wanted.parsed()) return fail(wanted.parsed().error());
  for (const Text& feature : features_in(*wanted.parsed()))
    if (!feature_exists(cluster, feature)) return fail(ErrorCode::invalid_feature);
  return {};
}

bool has_features(const Node& node, const std::vector<FeatureTerm>& terms) {
  if (terms.empty()) return true;
  const auto& have = node.active_features;
  bool holds = false;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const FeatureTerm& term = terms[i];
    bool here = term.name.empty() ? has_features(node, term.group)
                                  : std::ranges::find(have, term.name) != have.end();
    if (i == 0)
      holds = here;
    else
      holds = term.alternative ? holds || here : holds && here;
  }
  return holds;
}

}  // namespace muster::sched
