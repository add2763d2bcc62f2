// Answers to readers, from a published snapshot. Called on any thread; touches nothing else.
#pragma once

#include <functional>
#include <optional>

#include "controller/host.h"
#include "controller/visibility.h"
#include "wire/client_messages.h"

namespace muster::controller {

wire::JobView view_of(const Published& published, const Job& job);

// Why a pending job waits, as far as is known.
std::optional<sched::Wait> wait_of(const Published& published, const Job& job);
// In the words of squeue; "None" where there is nothing to say. The detail follows the reason.
Text reason_of(const Published& published, const Job& job, Text& detail);

wire::ReservationView view_of(const Cluster& cluster, const Reservation& reservation, Time now);

// Whether it only asks what is: for jobs, nodes, partitions, reservations, priorities ...
bool is_query(const wire::Request& request);
// Whether a query asks for little, however large the cluster is, or the cluster is small.
bool has_short_answer(const Published& published, const wire::Request& query);
// In one or more parts, with what the viewer may see.
void answer_query(const Published& published, const Viewer& viewer, const wire::Request& query,
                  Time now, const std::function<void(wire::Answer, bool more)>& part);

}  // namespace muster::controller
