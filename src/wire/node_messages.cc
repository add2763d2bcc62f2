#include "wire/node_messages.h"

MUSTER_CODEC(muster::wire::OrderBatch)
MUSTER_CODEC(muster::wire::ReportBatch)
