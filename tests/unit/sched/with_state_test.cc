// The builders apply real events, and a plan's starts are checked by the state's own invariants. The
// scheduler itself must not link the state layer, so its tests compile what they need of it.
#include "state/apply.cc"
#include "state/invariants.cc"
