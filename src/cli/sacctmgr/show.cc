// show: asks for rows, makes lines of them and prints a table.
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/text/date.h"
#include "cli/sacctmgr/fields.h"
#include "cli/sacctmgr/problems.h"
#include "cli/sacctmgr/session.h"
#include "cli/sacctmgr/tree_order.h"
#include "cli/tables/table_format.h"

namespace muster::cli {

namespace {

using wire::AccountsVerb;
using wire::Entity;

// The lines that rows of an answer give; they point into it.
class Lines {
 public:
  Lines(const SiteLine& line, const wire::AccountsReply& reply) : line_(line) {
    std::vector<const wire::AssociationShown*> associations;
    for (const wire::AccountsRow& row : reply.rows)
      if (auto* association = std::get_if<wire::AssociationShown>(&row))
        associations.push_back(association);
      else
        std::visit([&](const auto& one) { add(one); }, row);
    for (const TreeNode& node : in_tree_order(associations))
      lines_.push_back(
          {.association = node.association, .indent = line.has(ShowFlag::tree) ? node.depth : 0});
  }
  std::vector<ShownRow> take() { return std::move(lines_); }

 private:
  void add(const wire::AssociationShown&) {}
  void add(const wire::ClusterShown& row) {
    lines_.push_back({.cluster = &row, .association = &row.root});
  }
  // A line for each association, or one without any.
  void add_all(ShownRow line, const std::vector<wire::AssociationShown>& associations) {
    if (associations.empty()) lines_.push_back(line);
    for (const wire::AssociationShown& one : associations) {
      line.association = &one;
      lines_.push_back(line);
    }
  }
  void add(const wire::AccountShown& row) { add_all({.account = &row.row}, row.associations); }
  void add(const wire::UserShown& row) { add_all({.user = &row}, row.associations); }
  void add(const QosRow& row) { lines_.push_back({.qos = &row}); }
  void add(const TresRow& row) { lines_.push_back({.tres = &row}); }
  void add(const WckeyRow& row) { lines_.push_back({.wckey = &row}); }
  void add(const ResourceRow& row) {
    if (!line_.has(ShowFlag::of_clusters))
      lines_.push_back({.resource = &row});
    else
      for (const auto& share : row.allowed_percent)
        lines_.push_back({.resource = &row, .share = &share});
  }
  void add(const wire::EventShown& row) { lines_.push_back({.event = &row}); }
  void add(const TransactionRow& row) { lines_.push_back({.transaction = &row}); }
  void add(const wire::ProblemShown& row) {
    lines_.push_back({.association = &row.association, .problem = &row});
  }
  void add(const wire::RunawayJobShown& row) { lines_.push_back({.runaway = &row}); }
  void add(const ReservationRecord& row) { lines_.push_back({.reservation = &row}); }
  void add(const UsageRow&) {}  // only sreport asks for them

  const SiteLine& line_;
  std::vector<ShownRow> lines_;
};

std::vector<QosRow> all_qos(SiteSession& session) {
  wire::AccountsRequest request;
  request.entity = Entity::qos;
  std::vector<QosRow> found;
  if (auto reply = session.ask(request))
    for (const wire::AccountsRow& row : reply->rows)
      if (auto* qos = std::get_if<QosRow>(&row)) found.push_back(*qos);
  return found;
}

bool shows_qos_numbers(const SiteColumns& columns) {
  return std::ranges::any_of(columns,
                             [](const auto& column) { return column.field->name == "QOS_RAW"; });
}

// What the last hours brought, unless a time is given.
void set_usual_times(const SiteLine& line, wire::AccountsRequest& request, Time now) {
  if (request.entity != Entity::event && request.entity != Entity::reservation) return;
  if (is_set(request.start) || line.has(ShowFlag::all_time) || line.has_condition("State")) return;
  const bool events = request.entity == Entity::event;
  if (auto midnight = parse_date(events ? "midnight-1days" : "midnight", now, {.past = true}))
    request.start = *midnight;
}

void print_table(SiteSession& session, const SiteColumns& columns, const SiteLine& line,
                 const wire::AccountsReply& reply) {
  std::vector<QosRow> qos;
  if (shows_qos_numbers(columns)) qos = all_qos(session);
  const BarStyle style{.form = session.form, .delimiter = "|"};
  std::string out;
  if (session.header) append_bar_header<SiteField>(columns, style, out);
  for (ShownRow row : Lines(line, reply).take()) {
    row.all_qos = qos;
    row.now = clock_time();
    row.with_coordinators = line.request.with_coordinators;
    append_bar_line<SiteField>(columns, style, row, out);
  }
  if (!write_out(out)) session.exit_code = 1;
}

void fix_runaway_jobs(SiteSession& session, wire::AccountsRequest request) {
  constexpr std::string_view kQuestion =
      "\nWould you like to fix these runaway jobs?\n"
      "(Each gets the latest of its start, eligible and submit time as its end, and the state "
      "COMPLETED.\nUsage for reports is counted again from then on.)\n";
  if (!agrees(session, kQuestion)) return fmt::print("Changes Discarded\n");
  request.verb = AccountsVerb::modify;
  if (auto reply = session.ask(request); reply && reply->refusal)
    session.fail("sacctmgr: error: the jobs were not changed\n");
}

// These need WithAssoc to mean anything; what is asked without it is asked about.
bool wants_rows_of_associations(const SiteSession& session, const SiteLine& line) {
  if (line.request.with_associations) return true;
  const bool odd = (line.request.entity == Entity::user &&
                    (line.has_condition("Account") || line.has_condition("Partition"))) ||
                   (line.request.entity == Entity::account && line.has_condition("Parent"));
  if (!odd) return true;
  if (!session.immediate)
    fmt::print(
        "You requested options that are only valid when querying with the withassoc option.\n");
  return agrees(session, "Are you sure you want to continue?");
}

}  // namespace

void show_rows(SiteSession& session, SiteLine& line) {
  wire::AccountsRequest& request = line.request;
  if (session.associations) request.with_associations = true;
  auto columns = read_site_columns(line.format.empty() ? usual_site_format(line) : line.format,
                                   line.has(ShowFlag::tree));
  if (!columns) return session.fail(columns.error());
  if (!wants_rows_of_associations(session, line)) return fmt::print("Aborted\n");
  set_usual_times(line, request, clock_time());
  auto reply = session.ask(request);
  if (!reply) return;
  if (reply->refusal)
    return session.fail(refusal_text(line, *reply->refusal, {.valid_qos = {}, .cluster = {}}));
  if (request.entity == Entity::runaway_job && reply->rows.empty()) {
    fmt::print("Runaway Jobs: No runaway jobs found on cluster {}\n", session.own_cluster());
    return;
  }
  if (request.entity == Entity::runaway_job)
    fmt::print(
        "NOTE: Runaway jobs are jobs that don't exist in the controller but have a start time and "
        "no "
        "end time in the database\n");
  print_table(session, *columns, line, *reply);
  if (request.entity == Entity::runaway_job) fix_runaway_jobs(session, request);
}

void show_site(SiteSession& session, SiteWords words) {
  auto line = read_site_line(SiteCommand::show, words, clock_time());
  if (!line) return session.fail(line.error());
  switch (line->special) {
    case Special::configuration:
      return show_configuration(session);
    case Special::statistics:
      return session.fail("sacctmgr: error: statistics are not kept\n");
    case Special::federation:
      return session.fail("sacctmgr: error: federations of clusters are not supported\n");
    case Special::none:
      return show_rows(session, *line);
  }
}

}  // namespace muster::cli
