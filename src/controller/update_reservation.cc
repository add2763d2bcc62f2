// scontrol create, update and delete reservation; reservations that are over, or come again.
#include <algorithm>

#include "base/date.h"
#include "base/duration.h"
#include "controller/core.h"
#include "controller/settings_list.h"
#include "controller/view.h"
#include "sched/features.h"
#include "sched/profile.h"

namespace muster::controller {

namespace {

constexpr std::string_view kFlags[] = {"MAINT",   "DAILY",     "WEEKLY",      "HOURLY",    "FLEX",
                                       "OVERLAP", "ANY_NODES", "IGNORE_JOBS", "SPEC_NODES"};

struct Draft {
  const Cluster& cluster;
  Time now;
  Reservation r;
  std::optional<Minutes> duration;
  std::optional<std::uint32_t> node_count;
  bool nodes_named = false;
};

std::vector<Text> names_of(std::string_view text) {
  std::vector<Text> names;
  for (std::string_view name : split(text, ','))
    if (!trim(name).empty()) names.emplace_back(trim(name));
  return names;
}

// "a,b" replaces; "+a" adds, "-a" takes away where `signs` says what the key ended with.
void change_list(std::vector<Text>& list, std::string_view key, std::string_view value) {
  std::vector<Text> names = names_of(value);
  if (key.ends_with('+')) {
    for (Text& name : names) list.push_back(std::move(name));
  } else if (key.ends_with('-')) {
    std::erase_if(list, [&](const Text& n) {
      return std::find(names.begin(), names.end(), n) != names.end();
    });
  } else {
    list = std::move(names);
  }
}

Result<void> set_flags(Draft& d, std::string_view key, std::string_view value) {
  std::vector<Text> flags = d.r.flags;
  change_list(flags, key, upper(value));
  for (const Text& flag : flags)
    if (std::find(std::begin(kFlags), std::end(kFlags), flag.view()) == std::end(kFlags))
      return fail(ErrorCode::failure, "Invalid reservation flag " + flag.str());
  d.r.flags = std::move(flags);
  return {};
}

Result<void> set_nodes(Draft& d, std::string_view value) {
  d.nodes_named = true;
  if (iequals(value, "ALL")) {
    d.r.nodes = d.cluster.node_order;
  } else {
    auto named = d.cluster.nodes_named(value);
    if (!named) return std::unexpected(named.error());
    d.r.nodes = std::move(*named);
  }
  std::sort(d.r.nodes.begin(), d.r.nodes.end());
  return {};
}

Result<void> set_key(Draft& d, std::string_view key, std::string_view value) {
  std::string_view name =
      key.ends_with('+') || key.ends_with('-') ? key.substr(0, key.size() - 1) : key;
  auto is = [&](std::string_view wanted) { return iequals(name, wanted); };
  if (is("StartTime") || is("EndTime")) {
    auto at = parse_date(value, d.now);
    if (!at) return fail(ErrorCode::invalid_begin);
    (is("StartTime") ? d.r.start : d.r.end) = *at;
    return {};
  }
  if (is("Duration")) {
    d.duration = parse_time_limit(value);
    if (!d.duration) return fail(ErrorCode::invalid_time_limit);
    return {};
  }
  if (is("Nodes")) return set_nodes(d, value);
  if (is("NodeCnt")) {
    d.node_count = parse_number<std::uint32_t>(value);
    if (!d.node_count || *d.node_count == 0) return fail(ErrorCode::invalid_node_count);
    return {};
  }
  if (is("Flags")) return set_flags(d, key, value);
  if (is("Users")) return change_list(d.r.users, key, value), Result<void>{};
  if (is("Accounts")) return change_list(d.r.accounts, key, value), Result<void>{};
  if (is("Features")) return d.r.features = Text(value), Result<void>{};
  if (is("Comment")) return d.r.comment = Text(value), Result<void>{};
  if (is("PartitionName")) {
    if (!d.cluster.find_partition(value)) return fail(ErrorCode::invalid_partition);
    d.r.partition = Text(value);
    return {};
  }
  return fail(ErrorCode::not_supported_yet, std::string(key));
}

bool overlaps(const Reservation& a, const Reservation& b) {
  return a.start < b.end && b.start < a.end;
}

// May the node be kept for this reservation: no other has it then, no job runs into it?
bool is_free_for(const Cluster& cluster, const Reservation& wanted, NodeId id, Time now) {
  if (wanted.has("MAINT") || wanted.has("OVERLAP")) return true;
  for (const Reservation& other : *cluster.reservations)
    if (other.name != wanted.name && overlaps(other, wanted) &&
        std::binary_search(other.nodes.begin(), other.nodes.end(), id))
      return false;
  if (wanted.has("IGNORE_JOBS")) return true;
  auto jobs = cluster.nodes.at(id).jobs.ids();
  return std::all_of(jobs.begin(), jobs.end(), [&](std::uint32_t job) {
    const Job& j = cluster.jobs.at(JobId{job});
    return j.spec->reservation == wanted.name || sched::leaves_at(j, now) <= wanted.start;
  });
}

Result<void> choose_nodes(Draft& d) {
  if (d.nodes_named) {
    for (NodeId id : d.r.nodes)
      if (!is_free_for(d.cluster, d.r, id, d.now)) return fail(ErrorCode::nodes_busy);
    return {};
  }
  if (!d.node_count && !d.r.nodes.empty()) return {};
  const Partition* partition = d.r.partition.empty() ? d.cluster.default_partition()
                                                     : d.cluster.find_partition(d.r.partition);
  if (!partition || !d.node_count) return fail(ErrorCode::invalid_node_name);
  auto features = sched::parse_constraint(d.cluster, d.r.features);
  if (!features) return std::unexpected(features.error());
  d.r.partition = partition->name;
  d.r.nodes.clear();
  for (NodeId id : partition->nodes) {
    if (d.r.nodes.size() == *d.node_count) break;
    const Node& node = d.cluster.nodes.at(id);
    if (!sched::has_features(node, features->each) || node.future) continue;
    if (is_free_for(d.cluster, d.r, id, d.now)) d.r.nodes.push_back(id);
  }
  std::sort(d.r.nodes.begin(), d.r.nodes.end());
  if (d.r.nodes.size() < *d.node_count) return fail(ErrorCode::nodes_busy);
  return {};
}

// "root_2": whose it is, and a number that is free.
std::string new_name(const Cluster& cluster, const Reservation& r) {
  std::string owner = !r.users.empty()      ? r.users.front().str()
                      : !r.accounts.empty() ? r.accounts.front().str()
                                            : "resv";
  for (int n = 1;; ++n)
    if (std::string name = owner + "_" + std::to_string(n); !cluster.find_reservation(name))
      return name;
}

// How far a recurring one moves on; nothing if it does not come again.
std::optional<Seconds> period(const Reservation& r) {
  if (r.has("DAILY")) return Seconds{24 * 3600};
  if (r.has("WEEKLY")) return Seconds{7 * 24 * 3600};
  if (r.has("HOURLY")) return Seconds{3600};
  return std::nullopt;
}

Result<void> complete(Draft& d, bool create) {
  if (!is_set(d.r.start)) d.r.start = d.now;
  if (d.duration)
    d.r.end = *d.duration == kUnlimited ? d.r.start + Minutes{525600} : d.r.start + *d.duration;
  if (d.r.end <= d.r.start || d.r.end <= d.now) return fail(ErrorCode::invalid_time_limit);
  if (create && d.r.users.empty() && d.r.accounts.empty())
    return fail(ErrorCode::failure, "Either Users or Accounts must be specified");
  if (d.nodes_named && create && !d.r.has("SPEC_NODES")) d.r.flags.emplace_back("SPEC_NODES");
  if (create || d.nodes_named || d.node_count) return choose_nodes(d);
  return {};
}

}  // namespace

wire::Answer Core::update_reservation(Caller caller, const wire::UpdateRequest& request, Time now) {
  if (!is_operator(caller)) return Error{ErrorCode::access_denied, {}};
  auto name = find_setting(request.settings, {"ReservationName", "Reservation"});
  const Reservation* known = name ? cluster_.find_reservation(*name) : nullptr;
  if (request.create ? known != nullptr : known == nullptr)
    return Error{ErrorCode::invalid_reservation, {}};
  if (request.remove) {
    bool used = false;
    cluster_.jobs.each([&](const Job& job) {
      used = used || (!is_ended(job.state) && job.spec->reservation == *name);
    });
    if (used) return Error{ErrorCode::reservation_busy, {}};
    record(ReservationChanged{.reservation = *known, .removed = true});
    want_plan();
    return wire::Done{};
  }
  Draft d{.cluster = cluster_, .now = now, .r = known ? *known : Reservation{}};
  for (const auto& [key, value] : request.settings) {
    if (iequals(key, "ReservationName") || iequals(key, "Reservation")) continue;
    if (auto ok = set_key(d, key, value); !ok) return ok.error();
  }
  d.r.name = name && !name->empty() ? Text(*name) : Text(new_name(cluster_, d.r));
  if (auto ok = complete(d, request.create); !ok) return ok.error();
  wire::ReservationsReply reply{.now = now, .reservations = {view_of(cluster_, d.r)}};
  record(ReservationChanged{.reservation = std::move(d.r)});
  want_plan();
  return reply;
}

void Core::turn_reservations(Time now) {
  std::vector<ReservationChanged> changes;
  for (const Reservation& r : *cluster_.reservations) {
    if (r.end > now) continue;
    ReservationChanged change{.reservation = r};
    if (auto step = period(r))
      while (change.reservation.end <= now) {
        change.reservation.start += *step;
        change.reservation.end += *step;
      }
    else
      change.removed = true;
    changes.push_back(std::move(change));
  }
  if (changes.empty()) return;
  for (ReservationChanged& change : changes) record(std::move(change));
  want_plan();
}

}  // namespace muster::controller
