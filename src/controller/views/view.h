// Jobs and reservations as readers see them, from a published snapshot.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controller/ledger/host.h"
#include "controller/views/visibility.h"
#include "wire/client_messages.h"

namespace muster::controller {

// Not for Detail::least, which has lines instead (wire/job_line.h).
wire::JobView view_of(const Published& published, const Job& job,
                      wire::Detail detail = wire::Detail::all);
// The nodes where it runs or ran, as a host list.
std::string nodes_of(const Published& published, const Job& job);

// Why a pending job waits, if that is known.
std::optional<sched::Wait> wait_of(const Published& published, const Job& job);
// The reason as squeue shows it; "None" if there is nothing to say. `detail` follows the reason.
// The returned text belongs to the job or is a constant.
std::string_view reason_of(const Published& published, const Job& job, Text& detail);

wire::ReservationView view_of(const Cluster& cluster, const Reservation& reservation, Time now);

}  // namespace muster::controller
