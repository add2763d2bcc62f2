// Connects sruns to their steps on this node.
#include "node/agent.h"

namespace muster {

void NodeAgent::on_attach(AttachId id, const wire::StepRef& step, Time now) {
  if (running_.contains(step)) return host_.hand_over(id, step);
  if (auto known = ended_.find(step); known != ended_.end()) {
    const Text& failure = known->second.end.failure;
    return host_.refuse(id, failure.empty() ? "the step has ended" : failure.view());
  }
  attaches_.push_back({id, step, now + options_.attach_wait});
}

}  // namespace muster
