// What reservations held, and how much of it jobs used.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "cli/sreport/usage.h"

namespace muster::cli {

namespace {

// clang-format off
constexpr ReportField kReservationFields[] = {
    {Cell::allocated, "Allocated", 2, "Allocated", 20, true},
    {Cell::associations, "Associations", 2, "Associations", 15},
    {Cell::cluster, "Cluster", 1, "Cluster", 9},
    {Cell::end, "End", 1, "End", 19},
    {Cell::flags, "Flags", 1, "Flags", 20},
    {Cell::idle, "Idle", 2, "Idle", 20, true},
    {Cell::name, "Name", 2, "Name", 9},
    {Cell::nodes, "Nodes", 2, "Nodes", 15},
    {Cell::id, "ReservationId", 1, "Id", 8},
    {Cell::start, "Start", 1, "Start", 19},
    {Cell::total_time, "TotalTime", 2, "TotalTime", 9},
    {Cell::tres_count, "TresCount", 5, "TRES count", 10},
    {Cell::tres_name, "TresName", 5, "TRES Name", 14},
    {Cell::tres_time, "TresTime", 5, "TRES Time", 9, true},
};
// clang-format on

std::optional<std::vector<ReservationRecord>> fetch(ReportSession& session,
                                                    const ReportLine& line) {
  wire::AccountsRequest request;
  request.entity = wire::Entity::reservation;
  request.start = line.start;
  request.end = line.end;
  if (!line.names.empty()) request.where.push_back({"Name", line.names});
  if (!line.clusters.empty()) request.where.push_back({"Cluster", line.clusters});
  if (!line.nodes.empty()) request.where.push_back({"Node", line.nodes});
  auto reply = session.rows(request);
  if (!reply) return std::nullopt;
  std::vector<ReservationRecord> found;
  for (wire::AccountsRow& row : *reply)
    if (auto* one = std::get_if<ReservationRecord>(&row)) found.push_back(std::move(*one));
  return found;
}

// By reservation, in printing order: what jobs had of it.
std::optional<std::vector<Amounts>> fetch_use(ReportSession& session,
                                              const std::vector<ReservationRecord>& reservations,
                                              Time now) {
  std::vector<Amounts> used(reservations.size());
  if (reservations.empty()) return used;
  wire::AccountingRequest request;
  request.all_users = request.duplicates = request.allocations_only = true;
  request.start = reservations.front().start;
  request.end = reservations.front().end;
  for (const ReservationRecord& one : reservations) {
    request.start = std::min(request.start, one.start);
    request.end = std::max(request.end, one.end);
  }
  const auto rows = session.jobs(request);
  if (!rows) return std::nullopt;
  for (const AccountingRow& row : *rows)
    for (std::size_t i = 0; i < reservations.size(); ++i) {
      const JobRecord& job = row.job;
      const ReservationRecord& one = reservations[i];
      if (job.reservation != one.name || job.cluster != one.cluster || !is_set(job.started))
        continue;
      const Time until = std::min({is_set(job.ended) ? job.ended : now, one.end});
      const Time from = std::max(job.started, one.start);
      if (until <= from) continue;
      TresAmounts amounts;
      for (std::string_view part : split(job.allocated_tres.view(), ','))
        static_cast<void>(merge_tres_amounts(amounts, part));
      for (const auto& [tres, amount] : amounts)
        used[i][tres] += amount * static_cast<std::uint64_t>((until - from) / Seconds{1});
    }
  return used;
}

std::string who(const ReservationRecord& one) {
  std::vector<std::string> names;
  for (const auto& list : {one.users, one.accounts})
    for (const Text& name : list) names.push_back(name.str());
  return join(names, ",");
}

}  // namespace

void report_reservations(ReportSession& session, const ReportLine& line) {
  if (!session.connect()) return;
  ReportLine own = line;
  if (own.clusters.empty() && !own.all_clusters && !session.all_clusters)
    own.clusters.emplace_back(session.controller->config().cluster_name);
  const auto reservations = fetch(session, own);
  if (!reservations) return;
  const Time now = std::chrono::floor<Millis>(std::chrono::system_clock::now());
  const auto used = fetch_use(session, *reservations, now);
  if (!used) return;
  std::vector<Text> wanted;
  if (!session.tres.empty()) {
    const auto tres = reported_tres(session, {});
    if (!tres) return;
    wanted = tres->names;
  }
  ReportTable table(session, kReservationFields, "Cluster,Name,Start,End,TresName,Allocated,Idle",
                    line);
  for (std::size_t i = 0; i < reservations->size(); ++i) {
    const ReservationRecord& one = (*reservations)[i];
    const auto seconds = static_cast<std::uint64_t>((one.end - one.start) / Seconds{1});
    for (const auto& [tres, amount] : one.tres) {
      if (!allows(wanted, tres.view())) continue;
      const std::uint64_t whole = amount * seconds;
      auto of_jobs = (*used)[i].find(tres);
      const std::uint64_t allocated = of_jobs == (*used)[i].end() ? 0 : of_jobs->second;
      ReportRow row;
      row[Cell::cluster].text = one.cluster.str();
      row[Cell::name].text = one.name.str();
      row[Cell::start].text = format_date(one.start);
      row[Cell::end].text = format_date(one.end);
      row[Cell::associations].text = who(one);
      row[Cell::flags].text = one.flags.str();
      row[Cell::nodes].text = one.nodes.str();
      row[Cell::id].text = std::to_string(one.number);
      row[Cell::total_time].text = format_elapsed(Seconds{seconds});
      row[Cell::tres_name].text = tres.str();
      row[Cell::tres_count].text = std::to_string(amount);
      row[Cell::allocated] = {{}, allocated, whole};
      row[Cell::idle] = {{}, whole - std::min(whole, allocated), whole};
      row[Cell::tres_time] = {{}, whole, whole};
      table.add(std::move(row));
    }
  }
  table.print("Reservation Utilization", line, false,
              "Usage reported in " + time_form_text(session.time, "TRES"));
}

}  // namespace muster::cli
