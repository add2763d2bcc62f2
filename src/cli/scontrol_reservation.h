// Reservations as scontrol and sinfo -T treat them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/scontrol_session.h"
#include "cli/scontrol_text.h"

namespace muster::cli {

// The words of a command about a reservation, as key and value; nothing if it is about something
// else.
std::optional<std::vector<std::pair<std::string, std::string>>> reservation_settings(Words words);

void create_reservation(ScontrolSession& session,
                        std::vector<std::pair<std::string, std::string>> settings);
void update_reservation(ScontrolSession& session,
                        std::vector<std::pair<std::string, std::string>> settings);
void delete_reservation(ScontrolSession& session,
                        std::vector<std::pair<std::string, std::string>> settings,
                        std::string_view word);
void show_reservations(ScontrolSession& session, const std::string& name);

std::string reservation_text(const wire::ReservationView& view, const ShowStyle& style);
std::string reservation_table(const wire::ReservationsReply& reply, bool header);

}  // namespace muster::cli
