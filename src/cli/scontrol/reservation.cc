// scontrol's reservations: create, update, delete, show; and sinfo -T.
#include "cli/scontrol/reservation.h"

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "cli/records/record_text.h"
#include "cli/scontrol/session.h"

namespace muster::cli {

namespace {

using fmt::format;

std::string names_or_null(const std::vector<Text>& names) {
  std::string text;
  for (const Text& name : names) text += (text.empty() ? "" : ",") + name.str();
  return text.empty() ? "(null)" : text;
}

std::string_view state_of(const Reservation& r, Time now) {
  return r.is_active(now) ? "ACTIVE" : "INACTIVE";
}

std::string date(Time t) { return format_date(t); }

std::string duration(const Reservation& r) {
  return format_elapsed(std::chrono::floor<Seconds>(r.end - r.start));
}

}  // namespace

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

std::string reservation_text(const wire::ReservationView& view, const ShowStyle& style) {
  const Reservation& r = view.reservation;
  RecordLines lines(style);
  lines.add(format("ReservationName={} StartTime={} EndTime={} Duration={}", r.name.view(),
                   date(r.start), date(r.end), duration(r)));
  lines.add(format("Nodes={} NodeCnt={} CoreCnt={} Features={} PartitionName={} Flags={}",
                   or_null(view.nodes), r.nodes.size(), view.cores, or_null(r.features),
                   or_null(r.partition), flags_text(r)));
  for (const auto& [node, cores] : view.node_cores)
    lines.add(format("  NodeName={} CoreIDs={}", node.view(), cores.view()));
  lines.add(view.cpus ? format("TRES=cpu={}", view.cpus) : "TRES=(null)");
  lines.add(
      format("Users={} Groups={} Accounts={} Licenses={} State={} BurstBuffer=(null) Watts=n/a",
             names_or_null(r.users), names_or_null(r.groups), names_or_null(r.accounts),
             or_null(r.licenses), state_of(r, style.now)));
  lines.add(format("MaxStartDelay={}",
                   r.max_start_delay == Seconds{0} ? "(null)" : format_elapsed(r.max_start_delay)));
  if (!r.comment.empty()) lines.add(format("Comment={}", r.comment.view()));
  return lines.finish(false);
}

void show_reservations(ScontrolSession& session, const std::string& name) {
  auto reply = session.ask_for<wire::ReservationsReply>(wire::ReservationsRequest{});
  if (!reply) return session.error("slurm_load_reservations error: {}", reply.error().text());
  ShowStyle style{.one_line = session.one_line, .now = reply->now};
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
                                  : format("Reservation {} not found", name));
}

std::string reservation_table(const wire::ReservationsReply& reply, bool header) {
  if (reply.reservations.empty()) return "No reservations in the system\n";
  std::size_t name_width = 9, nodes_width = 8;
  for (const wire::ReservationView& v : reply.reservations) {
    name_width = std::max(name_width, v.reservation.name.view().size());
    nodes_width = std::max(nodes_width, v.nodes.view().size());
  }
  std::string out;
  if (header)
    out += format("{:<{}}  {:>8}  {:>19}  {:>19}  {:>11}  {}\n", "RESV_NAME", name_width, "STATE",
                  "START_TIME", "END_TIME", "DURATION", "NODELIST");
  for (const wire::ReservationView& v : reply.reservations)
    out += format("{:<{}}  {:>8}  {:>19}  {:>19}  {:>11}  {}\n", v.reservation.name.view(),
                  name_width, state_of(v.reservation, reply.now), date(v.reservation.start),
                  date(v.reservation.end), duration(v.reservation), or_null(v.nodes));
  return out;
}

}  // namespace muster::cli
