// Jobs and reservations as readers see them, from a published snapshot.
#pragma once

#include <optional>

#include "controller/host.h"
#include "controller/views/visibility.h"
#include "wire/client_messages.h"

namespace muster::controller {

// Of the least detail: why it waits and where it runs, and no job.
wire::JobView view_of(const Published& published, const Job& job,
                      wire::Detail detail = wire::Detail::all);

// Why a pending job waits, as far as is known.
std::optional<sched::Wait> wait_of(const Published& published, const Job& job);
// In the words of squeue; "None" where there is nothing to say. The detail follows the reason.
Text reason_of(const Published& published, const Job& job, Text& detail);

wire::ReservationView view_of(const Cluster& cluster, const Reservation& reservation, Time now);

}  // namespace muster::controller
