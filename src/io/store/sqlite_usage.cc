// What reports are made of: suspensions, events, reservations, and usage by hour, day and month.
#include <algorithm>

#include "base/codec/codec.h"
#include "io/store/sqlite_accounting.h"

namespace muster::io {

namespace {

Time from_ms(std::int64_t ms) { return Time{Millis{ms}}; }

// The same state of the same node, so nothing new.
bool says_the_same(const EventRecord& a, const EventRecord& b) {
  return a.state == b.state && a.reason == b.reason && a.by == b.by && a.nodes == b.nodes &&
         a.tres == b.tres;
}

template <class T>
Result<void> each(Database& database, Statement& read, const std::function<void(T)>& visit) {
  ResetLater reset(read);
  for (;;) {
    auto step = read.step();
    if (!step) return std::unexpected(step.error());
    if (*step == Statement::Step::done) return {};
    auto record = decode<T>(read.bytes(0));
    if (!record) return fail(database.path() + ": a record is damaged: " + record.error().text());
    if constexpr (requires { record->end; })
      if (read.integer(1) != 0) record->end = from_ms(read.integer(1));
    visit(*std::move(record));
  }
}

}  // namespace

Result<void> SqliteAccounting::prepare_usage_statements() {
  const std::pair<Statement*, std::string_view> all[] = {
      {&statements_.end_suspension,
       "UPDATE suspensions SET end_ms = ?2 WHERE job_index = ?1 AND end_ms = 0"},
      {&statements_.add_suspension,
       "INSERT OR REPLACE INTO suspensions(job_index, start_ms, end_ms) VALUES (?1, ?2, ?3)"},
      {&statements_.read_suspensions,
       "SELECT start_ms, end_ms FROM suspensions WHERE job_index = ?1 ORDER BY start_ms"},
      {&statements_.open_event,
       "SELECT record, 0 FROM events WHERE cluster = ?1 AND node = ?2 AND end_ms = 0"},
      {&statements_.end_event,
       "UPDATE events SET end_ms = ?3 WHERE cluster = ?1 AND node = ?2 AND end_ms = 0"},
      {&statements_.add_event,
       "INSERT OR REPLACE INTO events(cluster, node, start_ms, end_ms, record) VALUES (?1, ?2, "
       "?3, 0, ?4)"},
      {&statements_.put_reservation,
       "INSERT OR REPLACE INTO reservations(cluster, number, start_ms, end_ms, record) VALUES "
       "(?1, ?2, ?3, ?4, ?5)"},
      {&statements_.remove_reservation,
       "DELETE FROM reservations WHERE cluster = ?1 AND number = ?2 AND start_ms = ?3"},
      {&statements_.forget_usage, "UPDATE meta SET usage_known_ms = ?1"},
  };
  for (auto [statement, sql] : all) {
    auto prepared = database_.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = *std::move(prepared);
  }
  return {};
}

Result<void> SqliteAccounting::forget_usage_since(std::int64_t ms) {
  if (ms == 0 || ms >= usage_known_ms_) return {};
  usage_known_ms_ = ms;
  return statements_.forget_usage.bind(1, ms).run();
}

// Usage of the time before changes only where a start or an end is another than it was. That a run
// goes on is nothing new.
Result<void> SqliteAccounting::note_change(const Run& before, const JobRecord& job) {
  std::int64_t first = 0;
  auto differ = [&first](std::int64_t a, std::int64_t b) {
    if (a == b) return;
    for (std::int64_t ms : {a, b})
      if (ms != 0 && (first == 0 || ms < first)) first = ms;
  };
  differ(before.started_ms, to_ms(job.started));
  differ(before.ended_ms, to_ms(job.ended));
  if (before.index == 0) differ(0, to_ms(job.eligible));
  return forget_usage_since(first);
}

Result<void> SqliteAccounting::put(const SuspensionRecord& suspension) {
  auto row = row_of({.job = suspension.job, .attempt = suspension.attempt});
  if (!row) return std::unexpected(row.error());
  if (is_set(suspension.end)) {
    if (auto ok = forget_usage_since(to_ms(suspension.end)); !ok) return ok;
    auto ended = statements_.end_suspension.bind(1, *row).bind(2, to_ms(suspension.end)).run();
    if (!ended) return ended;
  } else if (auto ok = forget_usage_since(to_ms(suspension.start)); !ok) {
    return ok;
  }
  return statements_.add_suspension.bind(1, *row)
      .bind(2, to_ms(suspension.start))
      .bind(3, to_ms(suspension.end))
      .run();
}

Result<void> SqliteAccounting::put(const EventRecord& event) {
  std::optional<EventRecord> open;
  statements_.open_event.bind_text(1, event.cluster.view()).bind_text(2, event.node.view());
  auto read = each<EventRecord>(database_, statements_.open_event,
                                [&](EventRecord record) { open = std::move(record); });
  if (!read) return read;
  const bool in_service = event.state.empty() && !event.node.empty();
  if (open ? says_the_same(*open, event) : in_service) return {};
  if (auto ok = forget_usage_since(to_ms(event.start)); !ok) return ok;
  auto ended = statements_.end_event.bind_text(1, event.cluster.view())
                   .bind_text(2, event.node.view())
                   .bind(3, to_ms(event.start))
                   .run();
  if (!ended || in_service) return ended;
  const std::string record = encode(event);
  return statements_.add_event.bind_text(1, event.cluster.view())
      .bind_text(2, event.node.view())
      .bind(3, to_ms(event.start))
      .bind(4, record)
      .run();
}

Result<void> SqliteAccounting::put(const ReservationRecord& reservation) {
  const std::int64_t start = to_ms(reservation.start);
  if (auto ok = forget_usage_since(start); !ok) return ok;
  if (reservation.gone)
    return statements_.remove_reservation.bind_text(1, reservation.cluster.view())
        .bind(2, std::int64_t{reservation.number})
        .bind(3, start)
        .run();
  const std::string record = encode(reservation);
  return statements_.put_reservation.bind_text(1, reservation.cluster.view())
      .bind(2, std::int64_t{reservation.number})
      .bind(3, start)
      .bind(4, to_ms(reservation.end))
      .bind(5, record)
      .run();
}

Result<std::vector<SuspensionRecord>> SqliteAccounting::suspensions_of(std::int64_t index) {
  std::lock_guard lock(mutex_);
  Statement& read = statements_.read_suspensions;
  ResetLater reset(read);
  read.bind(1, index);
  std::vector<SuspensionRecord> found;
  for (;;) {
    auto step = read.step();
    if (!step) return std::unexpected(step.error());
    if (*step == Statement::Step::done) return found;
    found.push_back({.job = {},
                     .attempt = {},
                     .start = from_ms(read.integer(0)),
                     .end = from_ms(read.integer(1))});
  }
}

Result<void> SqliteAccounting::events(Time start, Time end,
                                      const std::function<void(EventRecord)>& visit) {
  std::lock_guard lock(mutex_);
  auto read = database_.prepare(
      "SELECT record, end_ms FROM events WHERE (end_ms = 0 OR end_ms >= ?1) AND start_ms < ?2 "
      "ORDER BY start_ms, node");
  if (!read) return std::unexpected(read.error());
  read->bind(1, to_ms(start)).bind(2, to_ms(end));
  return each(database_, *read, visit);
}

Result<void> SqliteAccounting::reservations(Time start, Time end,
                                            const std::function<void(ReservationRecord)>& visit) {
  std::lock_guard lock(mutex_);
  auto read = database_.prepare(
      "SELECT record, end_ms FROM reservations WHERE end_ms >= ?1 AND start_ms < ?2 ORDER BY "
      "start_ms, number");
  if (!read) return std::unexpected(read.error());
  read->bind(1, to_ms(start)).bind(2, to_ms(end));
  return each(database_, *read, visit);
}

Result<Time> SqliteAccounting::usage_known_until() {
  std::lock_guard lock(mutex_);
  return from_ms(usage_known_ms_);
}

Result<Time> SqliteAccounting::oldest_record() {
  std::lock_guard lock(mutex_);
  std::int64_t oldest = 0;
  for (const char* sql :
       {"SELECT min(submitted_ms) FROM jobs WHERE submitted_ms > 0",
        "SELECT min(start_ms) FROM events", "SELECT min(start_ms) FROM reservations"}) {
    auto first = database_.query_integer(sql);
    if (!first) return std::unexpected(first.error());
    if (*first != 0 && (oldest == 0 || *first < oldest)) oldest = *first;
  }
  return from_ms(oldest);
}

Result<void> SqliteAccounting::put_usage(const UsageChange& change) {
  std::lock_guard lock(mutex_);
  if (auto ok = database_.check_place(); !ok) return ok;
  auto transaction = Transaction::begin(database_);
  if (!transaction) return std::unexpected(transaction.error());
  const auto span = static_cast<std::int64_t>(change.span);
  auto remove =
      database_.prepare("DELETE FROM usage WHERE span = ?1 AND start_ms >= ?2 AND start_ms < ?3");
  auto add = database_.prepare("INSERT INTO usage(span, start_ms, record) VALUES (?1, ?2, ?3)");
  if (!remove) return std::unexpected(remove.error());
  if (!add) return std::unexpected(add.error());
  auto done = remove->bind(1, span).bind(2, to_ms(change.start)).bind(3, to_ms(change.end)).run();
  for (const UsageOf& of : change.rows) {
    if (!done) return done;
    const std::string record = encode(of.row);
    done = add->bind(1, span).bind(2, to_ms(of.start)).bind(3, record).run();
  }
  if (done && change.known_until)
    done = statements_.forget_usage.bind(1, to_ms(*change.known_until)).run();
  if (done) done = transaction->commit();
  if (done && change.known_until) usage_known_ms_ = to_ms(*change.known_until);
  return done;
}

Result<void> SqliteAccounting::usage(UsageSpan span, Time start, Time end,
                                     const std::function<void(UsageOf)>& visit) {
  std::lock_guard lock(mutex_);
  auto read = database_.prepare(
      "SELECT record, start_ms FROM usage WHERE span = ?1 AND start_ms >= ?2 AND start_ms < ?3 "
      "ORDER BY start_ms");
  if (!read) return std::unexpected(read.error());
  read->bind(1, static_cast<std::int64_t>(span)).bind(2, to_ms(start)).bind(3, to_ms(end));
  return each<UsageRow>(database_, *read,
                        [&](UsageRow row) { visit({from_ms(read->integer(1)), std::move(row)}); });
}

}  // namespace muster::io
