// Passes each event to the function that applies it.
#include "state/apply.h"

#include "state/applier.h"

namespace muster {

void apply(Cluster& cluster, const Event& event) { std::visit(Applier{cluster}, event); }

}  // namespace muster
