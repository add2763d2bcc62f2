// scontrol's commands about reservations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/scontrol/session.h"

namespace muster::cli {

using ReservationSettings = std::vector<std::pair<std::string, std::string>>;

// The words of a command about a reservation, as key and value; nothing if it is about something
// else. Known keys are written out.
std::optional<ReservationSettings> reservation_settings(Words words);
// What is wrong with them, as far as that can be known without asking.
std::optional<std::string> problem_in(const ReservationSettings& settings, bool create);

void create_reservation(ScontrolSession& session, ReservationSettings settings);
void update_reservation(ScontrolSession& session, ReservationSettings settings);
void delete_reservation(ScontrolSession& session, ReservationSettings settings,
                        std::string_view word);
void show_reservations(ScontrolSession& session, const std::string& name);

}  // namespace muster::cli
