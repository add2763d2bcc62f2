// features: which nodes have the features that a job asks for (see model/job/constraint.h).
#pragma once

#include <vector>

#include "base/result.h"
#include "model/cluster.h"

namespace muster::sched {

// Fails if the expression is malformed or names a feature that no node has.
Result<void> check_features(const Cluster& cluster, const FeatureExpression& wanted);

bool has_features(const Node& node, const std::vector<FeatureTerm>& terms);

}  // namespace muster::sched
