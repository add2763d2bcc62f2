// The accounting file's schema, its updates, and the queries of sacct.
#include "io/store/sqlite_accounting.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/codec/codec.h"

namespace muster::io {

namespace {

constexpr std::int64_t kVersion = 4;
constexpr int kCheckpointPages = 2000;
constexpr int kCacheMib = 32;  // writes go to random places of three large indexes

// Format 1 counted records instead of batches. Start again at batch 0, so that everything in the
// state is ingested again.
constexpr const char* kFromFormat1 = R"(
  ALTER TABLE meta RENAME COLUMN last_record TO last_batch;
  UPDATE meta SET last_batch = 0;
)";

// Format 2 and 1 had tables of accounts that nothing read; accounts.db has them
// (sqlite_accounts.h).
constexpr const char* kFromFormat2 = R"(
  DROP TABLE accounts;
  DROP TABLE users;
  DROP TABLE qos;
  UPDATE meta SET version = 3;
)";

// Format 3 had neither usage nor what it is made of. The start of a job of that time is only in its
// record; as usage is made from the beginning, nothing is missed by that.
constexpr const char* kFromFormat3 = R"(
  ALTER TABLE jobs ADD COLUMN started_ms INTEGER NOT NULL DEFAULT 0;
  DROP INDEX jobs_by_end;
  ALTER TABLE meta ADD COLUMN usage_known_ms INTEGER NOT NULL DEFAULT 0;
  UPDATE meta SET version = 4;
)";

// Of format 4 and later, which older files get as well. The index has all that a scan for a time
// compares, so it reads only rows that it wants.
constexpr const char* kUsageSchema = R"(
  CREATE INDEX jobs_by_time ON jobs(ended_ms, submitted_ms, uid, user_name);
  CREATE TABLE suspensions(job_index INTEGER NOT NULL, start_ms INTEGER NOT NULL,
    end_ms INTEGER NOT NULL, PRIMARY KEY(job_index, start_ms)) WITHOUT ROWID;
  CREATE TABLE events(cluster TEXT NOT NULL, node TEXT NOT NULL, start_ms INTEGER NOT NULL,
    end_ms INTEGER NOT NULL, record BLOB NOT NULL, PRIMARY KEY(cluster, node, start_ms))
    WITHOUT ROWID;
  CREATE INDEX events_by_time ON events(end_ms, start_ms);
  CREATE TABLE reservations(cluster TEXT NOT NULL, number INTEGER NOT NULL,
    start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL, record BLOB NOT NULL,
    PRIMARY KEY(cluster, number, start_ms)) WITHOUT ROWID;
  CREATE INDEX reservations_by_time ON reservations(end_ms, start_ms);
  CREATE TABLE usage(span INTEGER NOT NULL, start_ms INTEGER NOT NULL, record BLOB NOT NULL);
  CREATE INDEX usage_by_time ON usage(span, start_ms);
)";

constexpr const char* kSchema = R"(
  CREATE TABLE meta(version INTEGER NOT NULL, last_batch INTEGER NOT NULL,
    usage_known_ms INTEGER NOT NULL);
  CREATE TABLE jobs(job_index INTEGER PRIMARY KEY, job INTEGER NOT NULL, attempt INTEGER NOT NULL,
    array_id INTEGER NOT NULL, uid INTEGER NOT NULL, user_name TEXT NOT NULL COLLATE NOCASE,
    submitted_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL, record BLOB NOT NULL,
    started_ms INTEGER NOT NULL);
  CREATE INDEX jobs_by_id ON jobs(job, attempt);
  CREATE INDEX jobs_by_array ON jobs(array_id) WHERE array_id != 0;
  CREATE TABLE steps(job_index INTEGER NOT NULL, step INTEGER NOT NULL, record BLOB NOT NULL,
    PRIMARY KEY(job_index, step)) WITHOUT ROWID;
  INSERT INTO meta VALUES (4, 0, 0);
)";

// SQLite takes at most 32766 parameters, so a long list of jobs is read in portions.
constexpr std::size_t kJobsPerRead = 10'000;

std::string parameters(int first, std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i)
    list += fmt::format("{}?{}", i == 0 ? "" : ",", first + static_cast<int>(i));
  return list;
}

template <class T>
Result<T> decode_column(const Database& database, std::string_view bytes) {
  auto record = decode<T>(bytes);
  if (!record) return fail(database.path() + ": a record is damaged: " + record.error().text());
  return record;
}

}  // namespace

Result<std::unique_ptr<SqliteAccounting>> SqliteAccounting::open(const std::string& path,
                                                                 const Database::Options& options) {
  Database::Options large = options;
  large.cache_mib = kCacheMib;
  auto database = Database::open(path, large);
  if (!database) return std::unexpected(database.error());
  std::unique_ptr<SqliteAccounting> store(new SqliteAccounting(*std::move(database)));
  auto ready = store->prepare_schema();
  if (ready) ready = store->prepare_statements();
  if (!ready) return std::unexpected(ready.error());
  return store;
}

Result<void> SqliteAccounting::prepare_schema() {
  auto tables = database_.query_integer("SELECT count(*) FROM sqlite_master");
  if (!tables) return std::unexpected(tables.error());
  if (*tables == 0) {
    auto transaction = Transaction::begin(database_);
    if (!transaction) return std::unexpected(transaction.error());
    if (auto created = database_.execute(kSchema); !created) return created;
    if (auto created = database_.execute(kUsageSchema); !created) return created;
    return transaction->commit();
  }
  auto version = database_.query_integer("SELECT version FROM meta");
  if (!version) return std::unexpected(version.error());
  if (*version > kVersion)
    return fail(fmt::format(
        "{}: written by a newer version (format {}, this program knows {}); it was left as it is",
        database_.path(), *version, kVersion));
  if (*version < kVersion) {
    auto transaction = Transaction::begin(database_);
    if (!transaction) return std::unexpected(transaction.error());
    auto changed = *version == 1 ? database_.execute(kFromFormat1) : Result<void>();
    if (changed && *version < 3) changed = database_.execute(kFromFormat2);
    if (changed) changed = database_.execute(kFromFormat3);
    if (changed) changed = database_.execute(kUsageSchema);
    if (changed) changed = transaction->commit();
    if (!changed) return changed;
  }
  auto last = database_.query_integer("SELECT last_batch FROM meta");
  if (!last) return std::unexpected(last.error());
  last_ = static_cast<BatchNumber>(*last);
  auto highest = database_.query_integer("SELECT max(job) FROM jobs");
  if (!highest) return std::unexpected(highest.error());
  highest_job_ = JobId{static_cast<std::uint32_t>(*highest)};
  auto known = database_.query_integer("SELECT usage_known_ms FROM meta");
  if (!known) return std::unexpected(known.error());
  usage_known_ms_ = *known;
  return {};
}

Result<void> SqliteAccounting::prepare_statements() {
  const std::pair<Statement*, std::string_view> all[] = {
      {&statements_.find_run,
       "SELECT job_index, submitted_ms, ended_ms, started_ms FROM jobs WHERE job = ?1 AND attempt "
       "= ?2 ORDER BY job_index DESC LIMIT 1"},
      {&statements_.add_job,
       "INSERT INTO jobs(job, attempt, array_id, uid, user_name, submitted_ms, ended_ms, record, "
       "started_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"},
      {&statements_.fill_job,
       "UPDATE jobs SET job = ?1, attempt = ?2, array_id = ?3, uid = ?4, user_name = ?5, "
       "submitted_ms = ?6, "
       "ended_ms = ?7, record = ?8, started_ms = ?9 WHERE job_index = ?10"},
      {&statements_.change_job,
       "UPDATE jobs SET record = ?1, started_ms = ?3 WHERE job_index = ?2"},
      {&statements_.end_job,
       "UPDATE jobs SET record = ?1, started_ms = ?3, ended_ms = ?4 WHERE job_index = ?2"},
      {&statements_.put_step,
       "INSERT OR REPLACE INTO steps(job_index, step, record) VALUES (?1, ?2, ?3)"},
      {&statements_.set_last, "UPDATE meta SET last_batch = ?1"},
      {&statements_.read_job, "SELECT record FROM jobs WHERE job_index = ?1"},
      {&statements_.read_steps, "SELECT record FROM steps WHERE job_index = ?1"},
  };
  for (auto [statement, sql] : all) {
    auto prepared = database_.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = *std::move(prepared);
  }
  return prepare_usage_statements();
}

BatchNumber SqliteAccounting::last() {
  std::lock_guard lock(mutex_);
  return last_;
}

Result<void> SqliteAccounting::ingest(const std::vector<AccountingRecord>& records,
                                      BatchNumber last) {
  std::lock_guard lock(mutex_);
  if (auto ok = database_.check_place(); !ok) return ok;
  auto transaction = Transaction::begin(database_);
  if (!transaction) return std::unexpected(transaction.error());
  written_runs_.clear();
  auto written = write(records, last);
  if (written) written = transaction->commit();
  if (!written) {
    bool full = database_.last_failure_was_full();  // before the rollback replaces it
    return fail(full ? ErrorCode::state_storage_full : ErrorCode::failure, written.error().detail);
  }
  last_ = last;
  return database_.checkpoint_beyond(kCheckpointPages);
}

void SqliteAccounting::rest() {
  std::lock_guard lock(mutex_);
  database_.release_memory();
}

Result<void> SqliteAccounting::write(const std::vector<AccountingRecord>& records,
                                     BatchNumber last) {
  for (const AccountingRecord& record : records) {
    auto done = std::visit([&](const auto& r) { return put(r); }, record);
    if (!done) return done;
  }
  return statements_.set_last.bind(1, static_cast<std::int64_t>(last)).run();
}

// The row of the step's run; makes one if there is none.
Result<std::int64_t> SqliteAccounting::row_of(const StepRecord& step) {
  if (auto known = written_runs_.find({step.job, step.attempt}); known != written_runs_.end())
    return known->second;
  auto run = find_run(step.job, step.attempt);
  if (!run) return std::unexpected(run.error());
  if (run->index != 0) return run->index;
  JobRecord job;
  job.job = step.job;
  job.attempt = step.attempt;
  job.state = JobState::running;
  job.started = job.eligible = step.started;
  if (auto made = put(job); !made) return std::unexpected(made.error());
  return written_runs_.at({step.job, step.attempt});
}

Result<SqliteAccounting::Run> SqliteAccounting::find_run(JobId job, Attempt attempt) {
  Statement& find = statements_.find_run;
  ResetLater reset(find);
  auto step = find.bind(1, std::int64_t{job.value}).bind(2, std::int64_t{attempt.value}).step();
  if (!step) return std::unexpected(step.error());
  if (*step == Statement::Step::done) return Run{};
  return Run{find.integer(0), find.integer(1), find.integer(2), find.integer(3)};
}

// Job ids start again when a controller's state is erased. So the same id with another submission
// time is another job, and the old row stays. Exceptions: a superseded record always means an
// existing row, and a row made for a step that came first has no submission time yet.
Result<void> SqliteAccounting::put(const JobRecord& job) {
  // Most jobs are new: a job id above all known ones has no row.
  auto run = job.job > highest_job_ ? Result<Run>() : find_run(job.job, job.attempt);
  if (!run) return std::unexpected(run.error());
  highest_job_ = std::max(highest_job_, job.job);
  bool same = run->index != 0 && (job.superseded || run->submitted_ms == 0 ||
                                  run->submitted_ms == to_ms(job.submitted));
  if (auto noted = note_change(same ? *run : Run{}, job); !noted) return noted;
  std::string record = encode(job);
  // An UPDATE writes every index on the columns it names, changed or not, so name only what
  // changes.
  if (same && run->submitted_ms != 0) {
    const bool ends = to_ms(job.ended) != run->ended_ms;
    Statement& change = ends ? statements_.end_job : statements_.change_job;
    change.bind(1, record).bind(2, run->index).bind(3, to_ms(job.started));
    if (ends) change.bind(4, to_ms(job.ended));
    written_runs_[{job.job, job.attempt}] = run->index;
    return change.run();
  }
  Statement& statement = same ? statements_.fill_job : statements_.add_job;
  statement.bind(1, std::int64_t{job.job.value})
      .bind(2, std::int64_t{job.attempt.value})
      // A query for the id of an array or a heterogeneous job means all its parts.
      .bind(3, std::int64_t{(job.het_id ? job.het_id : job.array_id).value})
      .bind(4, std::int64_t{job.uid.value})
      .bind_text(5, job.user_name.view())
      .bind(6, to_ms(job.submitted))
      .bind(7, to_ms(job.ended))
      .bind(8, record)
      .bind(9, to_ms(job.started));
  if (same) statement.bind(10, run->index);
  if (auto written = statement.run(); !written) return written;
  written_runs_[{job.job, job.attempt}] = same ? run->index : database_.last_row();
  return {};
}

Result<void> SqliteAccounting::put(const StepRecord& step) {
  auto row = row_of(step);
  if (!row) return std::unexpected(row.error());
  std::string record = encode(step);
  statements_.put_step.bind(1, *row).bind(2, std::int64_t{step.step.value}).bind(3, record);
  return statements_.put_step.run();
}

// One for each portion of the jobs that are asked for.
std::vector<SqliteAccounting::Query> SqliteAccounting::queries_of(const Scan& scan) {
  const std::string_view in_time = is_set(scan.begun_until)
                                       ? "(ended_ms = 0 OR ended_ms >= ?1) AND submitted_ms <= ?2"
                                       : "(ended_ms = 0 OR ended_ms >= ?1)";
  auto query = [](std::string where, Scan part) {
    int next = 3 + static_cast<int>(part.jobs.size());
    if (!part.uids.empty() || !part.users.empty())
      where +=
          fmt::format(" AND (uid IN ({}) OR user_name IN ({}))", parameters(next, part.uids.size()),
                      parameters(next + static_cast<int>(part.uids.size()), part.users.size()));
    return Query{"SELECT job_index, record FROM jobs WHERE " + where, std::move(part)};
  };
  // Two ranges of one index: SQLite would read one for both and compare every row.
  if (scan.jobs.empty()) {
    const std::string until = is_set(scan.begun_until) ? " AND submitted_ms <= ?2" : "";
    return {query("ended_ms = 0 AND ?1 IS NOT NULL" + until, scan),
            query("ended_ms >= max(?1, 1)" + until, scan)};
  }
  std::vector<JobId> ids = scan.jobs;
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  std::vector<Query> all;
  for (std::size_t at = 0; at < ids.size(); at += kJobsPerRead) {
    Scan portion = scan;
    portion.jobs.assign(
        ids.begin() + static_cast<std::ptrdiff_t>(at),
        ids.begin() + static_cast<std::ptrdiff_t>(std::min(at + kJobsPerRead, ids.size())));
    const std::string list = parameters(3, portion.jobs.size());
    // A row may be visited for two portions: as a job for one, and as an array's task for the
    // other. The plus signs keep SQLite from the index by time: these rows are few.
    std::string where = fmt::format(
        "(+ended_ms = 0 OR +ended_ms >= ?1){1} AND job_index IN (SELECT job_index FROM jobs "
        "WHERE job IN ({0}) UNION SELECT job_index FROM jobs WHERE array_id != 0 AND "
        "array_id IN ({0}))",
        list, is_set(scan.begun_until) ? " AND +submitted_ms <= ?2" : "");
    all.push_back(query(std::move(where), std::move(portion)));
  }
  return all;
}

Result<void> SqliteAccounting::scan(const Scan& scan, const std::function<void(Candidate)>& visit) {
  std::lock_guard lock(mutex_);
  for (const Query& query : queries_of(scan))
    if (auto read = read_jobs(query, visit); !read) return read;
  return {};
}

Result<Statement> SqliteAccounting::prepare(const Query& query) {
  auto read = database_.prepare(query.sql);
  if (!read) return read;
  // Users give whole seconds, so what happened within the first and the last second is included.
  read->bind(1, unix_seconds(query.scan.ended_since) * 1000);
  if (is_set(query.scan.begun_until))
    read->bind(2, unix_seconds(query.scan.begun_until) * 1000 + 999);
  int index = 3;
  for (JobId job : query.scan.jobs) read->bind(index++, std::int64_t{job.value});
  for (Uid uid : query.scan.uids) read->bind(index++, std::int64_t{uid.value});
  for (const Text& user : query.scan.users) read->bind_text(index++, user.view());
  return read;
}

Result<std::string> SqliteAccounting::plan_of(const Scan& scan) {
  std::lock_guard lock(mutex_);
  std::string plan;
  for (Query query : queries_of(scan)) {
    query.sql = "EXPLAIN QUERY PLAN " + query.sql;
    auto read = prepare(query);
    if (!read) return std::unexpected(read.error());
    for (;;) {
      auto step = read->step();
      if (!step) return std::unexpected(step.error());
      if (*step == Statement::Step::done) break;
      plan.append(read->bytes(3)) += '\n';
    }
  }
  return plan;
}

Result<void> SqliteAccounting::read_jobs(const Query& query,
                                         const std::function<void(Candidate)>& visit) {
  auto read = prepare(query);
  if (!read) return std::unexpected(read.error());
  for (;;) {
    auto step = read->step();
    if (!step) return std::unexpected(step.error());
    if (*step == Statement::Step::done) return {};
    auto job = decode_column<JobRecord>(database_, read->bytes(1));
    if (!job) return std::unexpected(job.error());
    visit({read->integer(0), *std::move(job)});
  }
}

Result<std::optional<JobRecord>> SqliteAccounting::job_at(std::int64_t index) {
  std::lock_guard lock(mutex_);
  Statement& read = statements_.read_job;
  ResetLater reset(read);
  auto step = read.bind(1, index).step();
  if (!step) return std::unexpected(step.error());
  if (*step == Statement::Step::done) return std::nullopt;
  return decode_column<JobRecord>(database_, read.bytes(0));
}

Result<std::vector<StepRecord>> SqliteAccounting::steps_of(std::int64_t index) {
  std::lock_guard lock(mutex_);
  Statement& read = statements_.read_steps;
  ResetLater reset(read);
  read.bind(1, index);
  std::vector<StepRecord> found;
  for (;;) {
    auto step = read.step();
    if (!step) return std::unexpected(step.error());
    if (*step == Statement::Step::done) return found;
    auto record = decode_column<StepRecord>(database_, read.bytes(0));
    if (!record) return std::unexpected(record.error());
    found.push_back(*std::move(record));
  }
}

}  // namespace muster::io
