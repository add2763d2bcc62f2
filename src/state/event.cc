#include "state/event.h"

MUSTER_CODEC(muster::EventEntry)
