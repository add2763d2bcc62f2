// Reservations as scontrol show and sinfo -T print them.
#pragma once

#include <string>

#include "cli/records/record_text.h"
#include "wire/client_messages.h"

namespace muster::cli {

std::string reservation_text(const wire::ReservationView& view, const ShowStyle& style);
std::string reservation_table(const wire::ReservationsReply& reply, bool header);

}  // namespace muster::cli
