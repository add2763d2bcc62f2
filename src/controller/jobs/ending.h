// How runs and jobs end, and which of them are requeued. advance_ending() is the only function that
// decides what follows from an end. It may be called at any time, and does nothing for a job that
// is not ending.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "controller/ledger/ledger.h"
#include "controller/links/step_launches.h"

namespace muster::controller {

enum class Reach : std::uint8_t { job, all_components };  // of a heterogeneous job

// --- ending ---
// A pending job ends with this reason; a running job is told to end.
Result<void> end_job(Ledger& ledger, const Job& job, Ending ending,
                     std::string_view pending_reason);
// Decides that the run ends in this way. Its nodes are told after the commit.
void order_end(Ledger& ledger, JobId id, const Ending& ending, Reach reach);
void record_end(Ledger& ledger, JobEnded end);
// Advances the end of a job as far as possible now: releases nodes, records the end, requeues.
void advance_ending(Ledger& ledger, JobId id);
// The same for all components of a heterogeneous job.
void advance_endings(Ledger& ledger, JobId id);

// --- nodes ---
// A node with site programs reports that it is done with a job after the Epilog, not after the last
// process.
void release_node(Ledger& ledger, JobId id, NodeId node);
void release_nodes(Ledger& ledger, JobId id, const std::vector<NodeId>& nodes);
// Nothing of the job is left on the node: its parts of steps end with this status.
void drop_from_node(Ledger& ledger, StepLaunches& launches, JobId id, NodeId node,
                    std::uint32_t status);
// A running job keeps this many of its nodes. Its processes on the others are killed.
void shrink(Ledger& ledger, StepLaunches& launches, JobId id, std::size_t keeps);

// --- requeue ---
bool may_requeue(const Cluster& cluster, const Job& job);
void requeue_now(Ledger& ledger, JobId id, const Ending& ending);
// A job that could not be launched is requeued and held. `otherwise`: its final state if it may not
// be requeued.
void requeue_held(Ledger& ledger, JobId id, JobState otherwise, bool requeue);
// The node is at fault: the job may start again at once, on other nodes.
void try_elsewhere(Ledger& ledger, JobId id);
// A delay before the next run, so that a script that requeues itself at once does not keep its node
// busy with starts.
Seconds pause_before_next_run(const Job& job, Time now);

// --- components of a heterogeneous job ---
// Once the first component has ended by itself, the others end in the same way.
void end_other_components(Ledger& ledger, JobId id);
// Components are requeued together, once the last one has left its nodes.
void requeue_components(Ledger& ledger, JobId id);
// Whether the component was ended while the first one goes on.
bool ends_alone(const Cluster& cluster, const Job& job);

}  // namespace muster::controller
