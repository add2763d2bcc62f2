// Selects records by the conditions of a command.
#include "accounts/records.h"

#include <algorithm>
#include <set>

#include "accounting/roll_up.h"
#include "base/text/hostlist.h"
#include "base/text/strings.h"

namespace muster::accounts {

namespace {

using wire::AccountsReply;
using wire::AccountsRequest;
using wire::Entity;

constexpr std::size_t kMostRows = 100'000;

// "down" for DOWN*, "drained" and "draining" for all that is drained.
bool is_in_state(const Where& where, const EventRecord& event) {
  if (!where.has("State")) return true;
  std::string state(event.state.view());
  while (!state.empty() && std::isalpha(static_cast<unsigned char>(state.back())) == 0)
    state.pop_back();
  const bool drains = state == "DRAIN" || state == "DRNG";
  return std::ranges::any_of(where.names("State"), [&](const Text& wanted) {
    return iequals(wanted, state) || (drains && wanted.view().starts_with("drain"));
  });
}

Outcome<std::set<std::string>> nodes_of(const Where& where, Entity entity) {
  std::set<std::string> nodes;
  for (const Text& list : where.names("Node")) {
    auto names = expand_hostlist(list.view());
    if (!names) return refuse(Problem::bad_value, entity, "Node", names.error().text());
    if (nodes.size() + names->size() > kMaxHosts)
      return refuse(Problem::too_many, entity, "Node", std::to_string(kMaxHosts));
    nodes.insert(names->begin(), names->end());
  }
  return nodes;
}

bool holds_one(const std::set<std::string>& wanted, const Text& nodes) {
  if (wanted.empty()) return true;
  auto names = expand_hostlist(nodes.view());
  return names && std::ranges::any_of(*names, [&](const auto& n) { return wanted.contains(n); });
}

Outcome<std::uint64_t> bound_of(const Where& where, std::string_view key, std::uint64_t usual) {
  for (const Text& value : where.names(key)) {
    auto number = parse_number<std::uint64_t>(value.view());
    if (!number) return refuse(Problem::bad_value, Entity::event, Text(key), "a number");
    usual = *number;
  }
  return usual;
}

class Records {
 public:
  Records(AccountingStore& records, const RecordsViewer& who, const AccountsRequest& asked, Time at)
      : store(records), viewer(who), request(asked), now(at) {}

  Outcome<AccountsReply> run();

 private:
  Outcome<> events();
  Outcome<> reservations();
  Outcome<> runaway_jobs();
  Outcome<> usage();
  Outcome<> done(const Result<void>& read) const {
    if (read) return {};
    return refuse(Problem::failed, request.entity, {}, read.error().text());
  }
  Time end() const { return is_set(request.end) ? request.end : now + Seconds{1}; }

  Outcome<> select();

  AccountingStore& store;
  const RecordsViewer& viewer;
  const AccountsRequest& request;
  const Time now;
  const Where where{request.where};
  AccountsReply reply;
};

Outcome<> Records::events() {
  if (!viewer.sees_nodes) return refuse(Problem::denied, Entity::event, "operator");
  const auto nodes = nodes_of(where, Entity::event);
  const auto least = bound_of(where, "MinCPUs", 0), most = bound_of(where, "MaxCPUs", ~0ull);
  if (!nodes) return std::unexpected(nodes.error());
  if (!least) return std::unexpected(least.error());
  if (!most) return std::unexpected(most.error());
  // Who names nodes, states or users means events of nodes.
  const bool of_nodes = !nodes->empty() || where.has("State") || where.has("User");
  const bool open_only = where.names("CondFlags") == std::vector<Text>{"open"} ||
                         (where.has("State") && !is_set(request.start));
  return done(store.events(request.start, end(), [&](const EventRecord& event) {
    const std::uint64_t cpus = amount_of(event.tres, "cpu").value_or(0);
    const bool is_node = !event.node.empty();
    if ((of_nodes && !is_node) || (open_only && (!is_node || is_set(event.end))) ||
        !where.allows("Event", is_node ? "node" : "cluster") ||
        !where.allows("Cluster", event.cluster) || !where.allows("Reason", event.reason) ||
        (!nodes->empty() && !nodes->contains(event.node.str())) || !is_in_state(where, event) ||
        cpus < *least || cpus > *most || reply.rows.size() >= kMostRows)
      return;
    const Text user = is_node ? viewer.name_of(event.by) : Text();
    if (!where.allows("User", user)) return;
    reply.rows.emplace_back(wire::EventShown{.cluster = event.cluster,
                                             .node = event.node,
                                             .start = event.start,
                                             .end = event.end,
                                             .state = event.state,
                                             .reason = event.reason,
                                             .user = user,
                                             .uid = event.by,
                                             .nodes = event.nodes,
                                             .tres = event.tres});
  }));
}

Outcome<> Records::reservations() {
  if (!viewer.sees_reservations) return refuse(Problem::denied, request.entity, "operator");
  const auto nodes = nodes_of(where, request.entity);
  if (!nodes) return std::unexpected(nodes.error());
  // What is still to come is shown as well, unless an end is given.
  const Time until = is_set(request.end) ? request.end : Time::max();
  return done(store.reservations(request.start, until, [&](const ReservationRecord& one) {
    if (where.allows("Cluster", one.cluster) && where.allows("Name", one.name) &&
        where.allows("ID", std::to_string(one.number)) && holds_one(*nodes, one.nodes) &&
        reply.rows.size() < kMostRows)
      reply.rows.emplace_back(one);
  }));
}

// A change gives them an end: the latest time that is known of them.
Outcome<> Records::runaway_jobs() {
  if (!viewer.operates) return refuse(Problem::denied, Entity::runaway_job, "operator");
  std::vector<JobRecord> found;
  // A start after now: only rows without an end are left.
  auto read = store.scan({.jobs = {}, .ended_since = Time::max(), .uids = {}, .users = {}},
                         [&](const AccountingStore::Candidate& row) {
                           if (!is_set(row.job.ended) && where.allows("Cluster", row.job.cluster) &&
                               !viewer.is_known(row.job) && found.size() < kMostRows)
                             found.push_back(row.job);
                         });
  if (!read) return done(read);
  std::ranges::sort(found, {}, &JobRecord::job);
  for (const JobRecord& job : found)
    reply.rows.emplace_back(wire::RunawayJobShown{.job = job.job,
                                                  .name = job.name,
                                                  .partition = job.partition,
                                                  .cluster = job.cluster,
                                                  .state = state_name(job.state),
                                                  .submitted = job.submitted,
                                                  .started = job.started,
                                                  .ended = job.ended});
  if (request.verb == wire::AccountsVerb::show || request.dry_run) return {};
  std::vector<AccountingRecord> ended;
  for (JobRecord& job : found) {
    job.ended = std::max({job.submitted, job.eligible, job.started});
    if (!is_set(job.started)) job.started = job.ended;
    job.state = JobState::completed;
    job.state_text = state_name(job.state);
    ended.emplace_back(std::move(job));
  }
  if (auto written = store.ingest(ended, store.last()); !written) return done(written);
  reply.committed = true;
  return {};
}

Outcome<> Records::usage() {
  const Time until = is_set(request.end) ? request.end : now;
  if (!is_set(request.start) || until < request.start)
    return refuse(Problem::bad_value, Entity::usage, "Start", "a time before the end");
  auto rows = accounting::usage_between(store, request.start, until);
  if (!rows) return done(std::unexpected(rows.error()));
  for (UsageRow& row : *rows) {
    const bool is_own =
        row.kind == UsageKind::cluster ||
        viewer.sees_usage({.account = row.account, .user = row.user, .partition = {}});
    if (is_own && where.allows("Cluster", row.cluster)) reply.rows.emplace_back(std::move(row));
  }
  return {};
}

Outcome<AccountsReply> Records::run() {
  if (auto ok = check_words(request); !ok) return std::unexpected(ok.error());
  const bool changes = request.verb != wire::AccountsVerb::show;
  if (changes &&
      (request.entity != Entity::runaway_job || request.verb != wire::AccountsVerb::modify))
    return refuse(Problem::not_supported, request.entity);
  if (auto ok = select(); !ok) return std::unexpected(ok.error());
  return std::move(reply);
}

Outcome<> Records::select() {
  switch (request.entity) {
    case Entity::event:
      return events();
    case Entity::reservation:
      return reservations();
    case Entity::runaway_job:
      return runaway_jobs();
    default:
      return usage();
  }
}

}  // namespace

wire::AccountsReply answer_of_records(AccountingStore& store, const RecordsViewer& viewer,
                                      const wire::AccountsRequest& request, Time now) {
  auto reply = Records(store, viewer, request, now).run();
  if (!reply) return {.refusal = reply.error()};
  return std::move(*reply);
}

}  // namespace muster::accounts
