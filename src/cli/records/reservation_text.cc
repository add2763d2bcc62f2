// The fields of a reservation: one row each, with the header in sinfo -T and the label in `scontrol
// show reservation`.
#include "cli/records/reservation_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "cli/records/record_layout.h"
#include "cli/tables/fields.h"

namespace muster::cli {

namespace reservation_table_of {
namespace {

struct ReservationRow {
  struct Mark {};
  const wire::ReservationView* view = nullptr;
  const RecordContext* context = nullptr;

  const Reservation& reservation() const { return view->reservation; }
  Form form() const { return {.no_time = "Unknown"}; }
};

using R = const ReservationRow&;
using V = FieldValue&;

void say_joined(V v, const std::vector<Text>& names) {
  std::string& text = v.text();
  for (const Text& name : names) text.append(text.empty() ? "" : ",").append(name.view());
}

void add_node_cores(R r, RecordLines& lines) {
  for (const auto& [node, cores] : r.view->node_cores)
    lines.add(fmt::format("  NodeName={} CoreIDs={}", node.view(), cores.view()));
}

// clang-format off
constexpr Field<ReservationRow> kFields[] = {
    {{}, {0, "Name", "RESV_NAME"}, {"ReservationName", ""}, [](R r, V v) { v.text(r.reservation().name); }},
    {{}, {0, "State", "STATE"}, {"State"}, [](R r, V v) { v.text(r.reservation().is_active(r.context->now) ? "ACTIVE" : "INACTIVE"); }},
    {{}, {0, "StartTime", "START_TIME"}, {"StartTime"}, [](R r, V v) { v.time(r.reservation().start); }},
    {{}, {0, "EndTime", "END_TIME"}, {"EndTime"}, [](R r, V v) { v.time(r.reservation().end); }},
    {{}, {0, "Duration", "DURATION"}, {"Duration"}, [](R r, V v) { v.span(std::chrono::floor<Seconds>(r.reservation().end - r.reservation().start)); }, {.whole = true}},
    {{}, {0, "NodeList", "NODELIST"}, {"Nodes"}, [](R r, V v) { v.text(r.view->nodes); }},
    {{}, {}, {"Accounts"}, [](R r, V v) { say_joined(v, r.reservation().accounts); }},
    {{}, {}, {"BurstBuffer"}, [](R, V v) { v.text(""); }},
    {{}, {}, {"Comment", kOmit}, [](R r, V v) { v.text(r.reservation().comment); }},
    {{}, {}, {"CoreCnt"}, [](R r, V v) { v.number(r.view->cores); }},
    {{}, {}, {"Features"}, [](R r, V v) { v.text(r.reservation().features); }},
    {{}, {}, {"Flags", ""}, [](R r, V v) { v.text(flags_text(r.reservation())); }},
    {{}, {}, {"Groups"}, [](R r, V v) { say_joined(v, r.reservation().groups); }},
    {{}, {}, {"Licenses"}, [](R r, V v) { v.text(r.reservation().licenses); }},
    {{}, {}, {"MaxStartDelay", "(null)"}, [](R r, V v) { if (r.reservation().max_start_delay != Seconds{0}) v.span(r.reservation().max_start_delay); }},
    {{}, {}, {"NodeCnt"}, [](R r, V v) { v.number(r.reservation().nodes.size()); }},
    {{}, {}, {"PartitionName"}, [](R r, V v) { v.text(r.reservation().partition); }},
    {{}, {}, {"TRES"}, [](R r, V v) { v.text(r.view->cpus ? fmt::format("cpu={}", r.view->cpus) : ""); }},
    {{}, {}, {"Users"}, [](R r, V v) { say_joined(v, r.reservation().users); }},
    {{}, {}, {"Watts"}, [](R, V v) { v.text("n/a"); }},
};
// clang-format on

constexpr ShownLine<ReservationRow> kLines[] = {
    {"ReservationName StartTime EndTime Duration"},
    {"Nodes NodeCnt CoreCnt Features PartitionName Flags"},
    {"", false, add_node_cores},
    {"TRES"},
    {"Users Groups Accounts Licenses State BurstBuffer Watts"},
    {"MaxStartDelay"},
    {"Comment"},
};

}  // namespace
}  // namespace reservation_table_of

using reservation_table_of::ReservationRow;

std::string reservation_text(const wire::ReservationView& view, const ShowStyle& style) {
  static const RecordLayout<ReservationRow> layout(reservation_table_of::kFields,
                                                   reservation_table_of::kLines);
  RecordLines lines(style);
  layout.append({&view, &style.context}, style, lines);
  return lines.finish(false);
}

std::string reservation_table(const wire::ReservationsReply& reply, bool header) {
  if (reply.reservations.empty()) return "No reservations in the system\n";
  RecordContext context;
  context.now = reply.now;
  std::size_t name_width = 9;
  std::vector<ReservationRow> rows;
  for (const wire::ReservationView& view : reply.reservations) {
    name_width = std::max(name_width, view.reservation.name.view().size());
    rows.push_back({&view, &context});
  }
  const auto format = name_format<ReservationRow>(
      reservation_table_of::kFields,
      fmt::format("Name:{}  ,State:.8  ,StartTime:.19  ,EndTime:.19  ,Duration:.11  ,NodeList:",
                  name_width));
  std::string out;
  if (header) append_header(format, out);
  append_records(format, rows, out);
  return out;
}

}  // namespace muster::cli
