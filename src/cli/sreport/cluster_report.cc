// What clusters had, and how much of it was used, down, idle and waited for.
#include "cli/sreport/usage.h"

namespace muster::cli {

namespace {

// clang-format off
constexpr ReportField kClusterFields[] = {
    {Cell::allocated, "Allocated", 1, "Allocated", 8, true},
    {Cell::cluster, "Cluster", 1, "Cluster", 9},
    {Cell::down, "Down", 1, "Down", 8, true},
    {Cell::idle, "Idle", 1, "Idle", 8, true},
    {Cell::over, "OverCommitted", 1, "Over Comm", 9, true},
    {Cell::planned_down, "PlannedDown", 2, "PLND Down", 8, true},
    {Cell::planned, "Planned", 2, "Planned", 8, true},
    {Cell::planned, "Reserved", 3, "Planned", 8, true},
    {Cell::reported, "Reported", 3, "Reported", 8, true},
    {Cell::tres_count, "TresCount", 5, "TRES Count", 10},
    {Cell::tres_name, "TresName", 5, "TRES Name", 14},
};
// clang-format on

void set(ReportRow& row, Cell cell, std::uint64_t seconds, const TresUse& use) {
  row[cell].seconds = seconds;
  row[cell].whole = use.total;
}

}  // namespace

void report_utilization(ReportSession& session, const ReportLine& line) {
  const auto rows = fetch_usage(session, line);
  if (!rows) return;
  const auto tres = reported_tres(session, *rows);
  if (!tres) return;
  ReportTable table(session, kClusterFields,
                    tres->named
                        ? "Cluster,TresName,Allocated,Down,PlannedDown,Idle,Planned,Reported"
                        : "Cluster,Allocated,Down,PlannedDown,Idle,Planned,Reported",
                    line);
  for (const UsageRow& usage : *rows) {
    if (usage.kind != UsageKind::cluster) continue;
    for (const Text& name : tres->names) {
      if (name == "node") continue;  // several jobs may use one
      TresUse use{.tres = name};
      for (const TresUse& one : usage.use)
        if (one.tres == name) use = one;
      ReportRow row;
      row[Cell::cluster].text = usage.cluster.str();
      row[Cell::tres_name].text = name.str();
      row[Cell::tres_count].text = std::to_string(use.count);
      set(row, Cell::allocated, use.allocated, use);
      set(row, Cell::down, use.down, use);
      set(row, Cell::planned_down, use.planned_down, use);
      set(row, Cell::idle, use.idle, use);
      set(row, Cell::planned, use.planned, use);
      set(row, Cell::over, use.over, use);
      set(row, Cell::reported, use.total, use);
      table.add(std::move(row));
    }
  }
  table.print("Cluster Utilization", line, false,
              "Usage reported in " + time_form_text(session.time, tres->named ? "TRES" : "CPU"));
}

}  // namespace muster::cli
