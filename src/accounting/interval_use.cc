// Adds up jobs, events and reservations, and divides what a cluster had among its states.
#include "accounting/interval_use.h"

#include <algorithm>

#include "base/text/idset.h"
#include "base/text/strings.h"

namespace muster::accounting {

namespace {

void add_amounts(std::map<Text, std::uint64_t>& sums, const TresAmounts& amounts,
                 std::uint64_t seconds) {
  for (const auto& [name, amount] : amounts) sums[name] += amount * seconds;
}

std::uint64_t amount_in(const std::map<Text, std::uint64_t>& sums, const Text& name) {
  auto found = sums.find(name);
  return found == sums.end() ? 0 : found->second;
}

bool has_flag(const ReservationRecord& reservation, std::string_view flag) {
  return std::ranges::any_of(split(reservation.flags.view(), ','),
                             [&](std::string_view one) { return iequals(one, flag); });
}

// An array's record stands for all tasks that wait.
std::uint64_t tasks_of(const JobRecord& job) {
  if (job.waiting_tasks.empty()) return 1;
  auto tasks = IdSet::parse(job.waiting_tasks.view().substr(0, job.waiting_tasks.view().find('%')));
  return tasks ? std::max<std::uint64_t>(tasks->size(), 1) : 1;
}

bool is_held(const JobRecord& job) { return job.reason.view().starts_with("JobHeld"); }

}  // namespace

TresAmounts amounts_of(std::string_view accounting_text) {
  TresAmounts amounts;
  for (std::string_view part : split(accounting_text, ','))
    static_cast<void>(merge_tres_amounts(amounts, part));
  return amounts;
}

void UsageSums::add(const UsageRow& row) {
  auto& sums = rows_[{row.kind, row.cluster, row.account, row.user, row.wckey}];
  for (const TresUse& use : row.use) {
    TresUse& sum = sums[use.tres];
    sum.tres = use.tres;
    sum.count = use.count;
    sum.allocated += use.allocated;
    sum.total += use.total;
    sum.down += use.down;
    sum.planned_down += use.planned_down;
    sum.idle += use.idle;
    sum.planned += use.planned;
    sum.over += use.over;
  }
}

std::vector<UsageRow> UsageSums::take() {
  std::vector<UsageRow> rows;
  rows.reserve(rows_.size());
  for (auto& [key, sums] : rows_) {
    UsageRow row;
    std::tie(row.kind, row.cluster, row.account, row.user, row.wckey) = key;
    for (auto& [name, use] : sums) row.use.push_back(use);
    rows.push_back(std::move(row));
  }
  rows_.clear();
  return rows;
}

JobUse::JobUse(const JobRecord& record, std::vector<SuspensionRecord> when_suspended)
    : cluster(record.cluster),
      account(record.account),
      user(record.user_name),
      wckey(record.wckey),
      reservation(record.reservation),
      eligible(record.eligible),
      started(record.started),
      ended(record.ended),
      allocated(record.allocated_nodes > 0 ? amounts_of(record.allocated_tres.view())
                                           : TresAmounts()),
      suspended(std::move(when_suspended)) {
  if (!is_held(record)) waiting_cpus = record.requested_cpus * tasks_of(record);
  if (user.empty()) user = std::to_string(record.uid.value);
}

std::uint64_t IntervalUse::seconds_of(Time start, Time end) const {
  const std::int64_t from = unix_seconds(std::max(start, start_));
  const std::int64_t until = unix_seconds(is_set(end) ? std::min(end, end_) : end_);
  return until > from ? static_cast<std::uint64_t>(until - from) : 0;
}

std::uint64_t IntervalUse::run_seconds(const JobUse& job) const {
  std::uint64_t seconds = seconds_of(job.started, job.ended);
  for (const SuspensionRecord& pause : job.suspended) {
    Time until = is_set(pause.end) ? pause.end : end_;
    if (is_set(job.ended)) until = std::min(until, job.ended);
    seconds -= std::min(seconds, seconds_of(std::max(pause.start, job.started), until));
  }
  return seconds;
}

void IntervalUse::add(const JobUse& job) {
  ClusterUse& cluster = clusters_[job.cluster];
  if (is_set(job.eligible)) {
    const Time until = is_set(job.started) ? job.started : job.ended;
    cluster.waiting_cpus += job.waiting_cpus * seconds_of(job.eligible, until);
  }
  if (!is_set(job.started) || job.allocated.empty()) return;
  const std::uint64_t seconds = run_seconds(job);
  if (seconds == 0) return;
  UsageRow row{.kind = UsageKind::association,
               .cluster = job.cluster,
               .account = job.account,
               .user = job.user};
  for (const auto& [name, amount] : job.allocated)
    row.use.push_back({.tres = name, .allocated = amount * seconds});
  users_.add(row);
  if (!job.wckey.empty()) {
    row.kind = UsageKind::wckey;
    row.account = {};
    row.wckey = job.wckey;
    users_.add(row);
  }
  if (job.reservation.empty())
    add_amounts(cluster.allocated, job.allocated, seconds);
  else
    add_amounts(cluster.reserved[job.reservation].second, job.allocated, seconds);
}

void IntervalUse::add(const EventRecord& event) {
  const std::uint64_t seconds = seconds_of(event.start, event.end);
  if (seconds == 0) return;
  ClusterUse& cluster = clusters_[event.cluster];
  add_amounts(event.node.empty() ? cluster.total : cluster.down, event.tres, seconds);
  if (event.node.empty())
    for (const auto& [name, amount] : event.tres) cluster.counts[name] = amount;
}

void IntervalUse::add(const ReservationRecord& reservation) {
  const std::uint64_t seconds = seconds_of(reservation.start, reservation.end);
  if (seconds == 0) return;
  ClusterUse& cluster = clusters_[reservation.cluster];
  if (has_flag(reservation, "IGNORE_JOBS")) return;  // what runs there is counted as if outside
  if (has_flag(reservation, "MAINT"))
    add_amounts(cluster.planned_down, reservation.tres, seconds);
  else
    add_amounts(cluster.reserved[reservation.name].first, reservation.tres, seconds);
}

UsageRow IntervalUse::row_of(const Text& cluster, const ClusterUse& use) {
  UsageRow row{.kind = UsageKind::cluster, .cluster = cluster};
  Amounts allocated = use.allocated;
  for (const auto& [name, held] : use.reserved)
    for (const auto& [tres, total] : use.total)
      allocated[tres] += std::max(amount_in(held.first, tres), amount_in(held.second, tres));
  for (const auto& [tres, total] : use.total) {
    TresUse one{.tres = tres, .count = amount_in(use.counts, tres), .total = total};
    std::uint64_t left = total;
    auto take = [&left](std::uint64_t wanted) {
      const std::uint64_t taken = std::min(left, wanted);
      left -= taken;
      return taken;
    };
    one.allocated = take(amount_in(allocated, tres));
    one.down = take(amount_in(use.down, tres));
    one.planned_down = take(amount_in(use.planned_down, tres));
    if (tres == "cpu") {
      one.planned = take(use.waiting_cpus);
      one.over = use.waiting_cpus - one.planned;
    }
    one.idle = left;
    row.use.push_back(std::move(one));
  }
  return row;
}

std::vector<UsageRow> IntervalUse::rows() const {
  std::vector<UsageRow> rows = UsageSums(users_).take();
  for (const auto& [name, use] : clusters_)
    if (!use.total.empty()) rows.push_back(row_of(name, use));
  return rows;
}

}  // namespace muster::accounting
