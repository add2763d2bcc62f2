// scontrol create, update, delete and show reservation.
#include "cli/scontrol/reservation.h"

#include <fmt/format.h>

#include "cli/records/reservation_text.h"
#include "cli/scontrol/session.h"

namespace muster::cli {

void create_reservation(ScontrolSession& session, ReservationSettings settings) {
  if (auto problem = problem_in(settings, true))
    return session.error("scontrol: error: {}", *problem);
  wire::UpdateRequest request{.kind = wire::UpdateRequest::Kind::reservation,
                              .settings = std::move(settings),
                              .create = true};
  auto reply = session.ask_for<wire::ReservationsReply>(request);
  if (!reply) {
    session.error("Error creating the reservation: {}", reply.error().text());
    if (reply.error().code == ErrorCode::nodes_busy && !session.quiet)
      fmt::print(
          "Note, unless nodes are directly requested a reservation must exist in a single "
          "partition.\nIf no partition is requested the default partition is assumed.\n");
    return;
  }
  for (const wire::ReservationView& view : reply->reservations)
    fmt::print("Reservation created: {}\n", view.reservation.name.view());
}

void update_reservation(ScontrolSession& session, ReservationSettings settings) {
  if (auto problem = problem_in(settings, false))
    return session.error("scontrol: error: {}\nslurm_update error: No error", *problem);
  wire::UpdateRequest request{.kind = wire::UpdateRequest::Kind::reservation,
                              .settings = std::move(settings)};
  auto reply = session.ask_for<wire::ReservationsReply>(request);
  if (!reply) {
    session.error("Error updating the reservation: {}", reply.error().text());
    return session.error("slurm_update error: {}", reply.error().text());
  }
  fmt::print("Reservation updated.\n");
}

void delete_reservation(ScontrolSession& session, ReservationSettings settings,
                        std::string_view word) {
  wire::UpdateRequest request{.kind = wire::UpdateRequest::Kind::reservation,
                              .settings = std::move(settings),
                              .remove = true};
  if (auto answer = session.ask(request); !answer)
    session.error("delete_reservation {}: {}", word, answer.error().text());
}

void show_reservations(ScontrolSession& session, const std::string& name) {
  auto reply = session.ask_for<wire::ReservationsReply>(wire::ReservationsRequest{});
  if (!reply) return session.error("slurm_load_reservations error: {}", reply.error().text());
  const ShowStyle style = session.style(reply->now);
  bool any = false;
  for (const wire::ReservationView& view : reply->reservations) {
    if (!name.empty() && view.reservation.name.view() != name) continue;
    any = true;
    fmt::print("{}", reservation_text(view, style));
  }
  if (any) return;
  if (!name.empty()) session.exit_code = 1;
  if (session.quiet) return;
  fmt::print("{}\n", name.empty() ? "No reservations in the system"
                                  : fmt::format("Reservation {} not found", name));
}

}  // namespace muster::cli
