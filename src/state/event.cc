// The codec of events, compiled once.
#include "state/event.h"

MUSTER_CODEC(muster::EventEntry)
