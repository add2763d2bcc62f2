// The codec of messages between srun and slurmstepd, compiled once.
#include "wire/step_messages.h"

MUSTER_CODEC(muster::wire::FromStepFrame)
MUSTER_CODEC(muster::wire::ToStepFrame)
MUSTER_CODEC(muster::wire::NodeCall)
