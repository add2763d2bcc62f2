#include "cli/records/reservation_text.h"

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"

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
