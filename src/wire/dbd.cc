// The codec of what slurmctld and slurmdbd send each other.
#include "wire/dbd.h"

MUSTER_CODEC(muster::wire::ControllerFrame)
MUSTER_CODEC(muster::wire::RecordBatch)
MUSTER_CODEC(muster::wire::DatabaseFrame)
