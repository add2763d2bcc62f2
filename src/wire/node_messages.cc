// The codec of orders and reports, compiled once.
#include "wire/node_messages.h"

MUSTER_CODEC(muster::wire::OrderBatch)
MUSTER_CODEC(muster::wire::ReportBatch)
