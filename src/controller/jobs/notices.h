// Stop notices: what running jobs are told before they are stopped, and what they may ask for from
// inside (more time, to be requeued). What a job is to know follows from the state, so that a node
// that was away is told the same when it is back.
#pragma once

#include "controller/effects/stop_notice.h"
#include "controller/ledger/ledger.h"
#include "wire/node_messages.h"

namespace muster::controller {

// Tells the job's nodes, before the signals that are ordered later.
void tell_stop(Ledger& ledger, const Job& job);
void tell_stop(Ledger& ledger, const Job& job, NodeId node);  // one that is back

// Jobs with --notice or --chunk: their time limit comes near, or a node of theirs is drained.
void give_notices(Ledger& ledger);

// A process of the job asks for something.
void on_job_ask(Ledger& ledger, NodeId node, const wire::JobAskReport& report);

}  // namespace muster::controller
