// scontrol's reservations: create, update, delete, show; and sinfo -T.
#include "cli/scontrol_reservation.h"

#include <fmt/format.h>

#include "base/date.h"
#include "base/duration.h"
#include "base/strings.h"
#include "cli/scontrol_session.h"
#include "cli/scontrol_text.h"

namespace muster::cli {

namespace {

using fmt::format;
using Settings = std::vector<std::pair<std::string, std::string>>;

// "res", "reservation", "ReservationName"
bool is_reservation_word(std::string_view word) {
  return word.size() >= 3 && istarts_with("ReservationName", word);
}

std::string joined(const std::vector<Text>& names) {
  std::string text;
  for (const Text& name : names) text += (text.empty() ? "" : ",") + name.str();
  return text.empty() ? "(null)" : text;
}

std::string_view state_of(const Reservation& r, Time now) {
  return r.start <= now && now < r.end ? "ACTIVE" : "INACTIVE";
}

std::string date(Time t) { return format_date(t); }

std::string duration(const Reservation& r) {
  return format_elapsed(std::chrono::floor<Seconds>(r.end - r.start));
}

// What the reference asks for before it bothers the controller.
std::optional<std::string> missing(const Settings& settings) {
  auto given = [&](std::string_view name) {
    for (const auto& [key, value] : settings)
      if (istarts_with(key, name)) return true;
    return false;
  };
  constexpr std::string_view kEnd = "  No reservation created.";
  if (!given("StartTime")) return format("A start time must be given.{}", kEnd);
  if (!given("EndTime") && !given("Duration"))
    return format("An end time or duration must be given.{}", kEnd);
  if (!given("Nodes") && !given("NodeCnt") && !given("TRES") && !given("CoreCnt") &&
      !given("Licenses"))
    return format("Nodes, NodeCnt or Licenses must be given.{}", kEnd);
  if (!given("Users") && !given("Accounts"))
    return format("Either Users/Groups and/or Accounts must be specified.{}", kEnd);
  return std::nullopt;
}

std::optional<std::string> bad_dates(const Settings& settings, Time now) {
  for (const auto& [key, value] : settings)
    if ((iequals(key, "StartTime") || iequals(key, "EndTime")) && !parse_date(value, now))
      return format("Invalid {} time {}={}.  No reservation created.",
                    iequals(key, "StartTime") ? "start" : "end", key, value);
  return std::nullopt;
}

}  // namespace

std::optional<Settings> reservation_settings(Words words) {
  Settings settings;
  bool names_one = false;
  for (const std::string& word : words) {
    auto equals = word.find('=');
    std::string key = word.substr(0, equals);
    if (istarts_with(key, "JobId")) return std::nullopt;
    if (is_reservation_word(key)) {
      names_one = true;
      if (equals != word.npos) settings.emplace_back("ReservationName", word.substr(equals + 1));
      continue;
    }
    settings.emplace_back(key, equals == word.npos ? "" : word.substr(equals + 1));
  }
  if (!names_one) return std::nullopt;
  return settings;
}

void create_reservation(ScontrolSession& session, Settings settings) {
  Time now = std::chrono::floor<Millis>(std::chrono::system_clock::now());
  if (auto problem = missing(settings)) return session.error("scontrol: error: {}", *problem);
  if (auto problem = bad_dates(settings, now))
    return session.error("scontrol: error: {}", *problem);
  wire::UpdateRequest request{.kind = wire::UpdateRequest::Kind::reservation,
                              .settings = std::move(settings),
                              .create = true};
  auto reply = session.ask_for<wire::ReservationsReply>(request);
  if (!reply) return session.error("Error creating the reservation: {}", reply.error().text());
  for (const wire::ReservationView& view : reply->reservations)
    fmt::print("Reservation created: {}\n", view.reservation.name.view());
}

void update_reservation(ScontrolSession& session, Settings settings) {
  wire::UpdateRequest request{.kind = wire::UpdateRequest::Kind::reservation,
                              .settings = std::move(settings)};
  auto reply = session.ask_for<wire::ReservationsReply>(request);
  if (!reply) {
    session.error("Error updating the reservation: {}", reply.error().text());
    return session.error("slurm_update error: {}", reply.error().text());
  }
  fmt::print("Reservation updated.\n");
}

void delete_reservation(ScontrolSession& session, Settings settings, std::string_view word) {
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
  std::string flags = joined(r.flags);
  lines.add(format("Nodes={} NodeCnt={} CoreCnt={} Features={} PartitionName={} Flags={}",
                   or_null(view.nodes), r.nodes.size(), view.cores, or_null(r.features),
                   or_null(r.partition), flags == "(null)" ? "" : flags));
  lines.add(format("TRES=cpu={}", view.cpus));
  lines.add(
      format("Users={} Groups=(null) Accounts={} Licenses={} State={} BurstBuffer=(null) "
             "Watts=n/a",
             joined(r.users), joined(r.accounts), or_null(r.licenses), state_of(r, style.now)));
  lines.add("MaxStartDelay=(null)");
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
                  date(v.reservation.end), duration(v.reservation), v.nodes.view());
  return out;
}

}  // namespace muster::cli
