// Answers to readers, from a published snapshot. Called on io threads; touches nothing else.
#pragma once

#include <functional>
#include <optional>

#include "controller/host.h"
#include "wire/client_messages.h"

namespace muster::controller {

wire::JobView view_of(const Published& published, const Job& job);

// Why a pending job waits, as far as is known.
std::optional<sched::Wait> wait_of(const Published& published, const Job& job);

wire::ReservationView view_of(const Cluster& cluster, const Reservation& reservation, Time now);

// Answers JobsRequest, NodesRequest, PartitionsRequest and ReservationsRequest, in one or more
// parts; false for any other.
bool answer_query(const Published& published, const wire::Request& request, Time now,
                  const std::function<void(wire::Answer, bool more)>& part);

}  // namespace muster::controller
