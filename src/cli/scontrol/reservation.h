// scontrol's commands on reservations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/scontrol/session.h"

namespace muster::cli {

using ReservationSettings = std::vector<std::pair<std::string, std::string>>;

// The words of a command as keys and values; nothing if it is not about a reservation. Abbreviated
// keys are completed.
std::optional<ReservationSettings> reservation_settings(Words words);
// What is wrong with the settings, as far as the command can know.
std::optional<std::string> problem_in(const ReservationSettings& settings, bool create);

void create_reservation(ScontrolSession& session, ReservationSettings settings);
void update_reservation(ScontrolSession& session, ReservationSettings settings);
void delete_reservation(ScontrolSession& session, ReservationSettings settings,
                        std::string_view word);
void show_reservations(ScontrolSession& session, const std::string& name);

}  // namespace muster::cli
