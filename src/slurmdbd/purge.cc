// Each portion is a transaction. If one ends after its rows were archived and before they were
// removed, they are archived again the next time, which does no harm.
#include "slurmdbd/purge.h"

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "io/log.h"
#include "slurmdbd/archive.h"

namespace muster::dbd {

namespace {

constexpr std::int64_t kRowsAtOnce = 500;
constexpr std::string_view kStepsPurged = "steps_purged_until_ms";

std::int64_t to_milliseconds(Time t) { return t.time_since_epoch().count(); }

std::vector<SqlValue> values_of(const std::vector<std::int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

Result<void> remove_rows(SqlConnection& connection, std::string_view table, std::string_view column,
                         const std::vector<std::int64_t>& numbers) {
  const auto values = values_of(numbers);
  return connection.run(
      fmt::format("DELETE FROM {} WHERE {} IN ({})", table, column, placeholders(numbers.size())),
      std::span<const SqlValue>(values), {});
}

// Decodes the contents of a query's rows.
template <class Row>
OnRow archive_into(std::vector<ArchivedRow>& rows) {
  return [&rows](const SqlRow& row) -> Result<void> {
    auto content = decode<Row>(row.bytes(1));
    if (!content) return fail("a row of the database is damaged: " + content.error().text());
    rows.push_back({std::move(*content), Text(row.bytes(0))});
    return {};
  };
}

Result<void> archive_steps(SqlConnection& connection, const std::vector<std::int64_t>& jobs,
                           std::vector<ArchivedRow>& rows) {
  const auto values = values_of(jobs);
  return connection.run(
      fmt::format("SELECT cluster, s.content FROM muster_steps s JOIN muster_jobs j ON s.job_index "
                  "= j.job_index WHERE s.job_index IN ({})",
                  placeholders(jobs.size())),
      std::span<const SqlValue>(values), archive_into<StepRecord>(rows));
}

Result<void> write_down(const config::DbdConf& conf, std::string_view kind,
                        const std::vector<ArchivedRow>& rows) {
  if (rows.empty()) return {};
  const Time now = std::chrono::floor<Millis>(std::chrono::system_clock::now());
  auto path = write_archive(conf.archive_dir, kind, now, rows);
  if (!path) return std::unexpected(path.error());
  io::log_info("{} rows were archived in {}", rows.size(), *path);
  return {};
}

Result<std::vector<std::int64_t>> ended_jobs(SqlConnection& connection, std::int64_t from,
                                             std::int64_t before, std::int64_t& last_end) {
  std::vector<std::int64_t> jobs;
  auto read = connection.run(
      fmt::format(
          "SELECT job_index, ended_ms FROM muster_jobs WHERE ended_ms >= ? AND ended_ms < ? "
          "ORDER BY ended_ms LIMIT {}",
          kRowsAtOnce),
      {from, before}, [&](const SqlRow& row) -> Result<void> {
        jobs.push_back(row.integer(0));
        last_end = row.integer(1);
        return {};
      });
  if (!read) return std::unexpected(read.error());
  return jobs;
}

Result<void> archive_jobs(SqlConnection& connection, const std::vector<std::int64_t>& jobs,
                          std::vector<ArchivedRow>& rows) {
  const auto values = values_of(jobs);
  return connection.run(fmt::format("SELECT cluster, content FROM muster_jobs WHERE job_index IN "
                                    "({})",
                                    placeholders(jobs.size())),
                        std::span<const SqlValue>(values), archive_into<JobRecord>(rows));
}

}  // namespace

Result<std::size_t> Purge::purge_jobs(const config::DbdConf& conf, Time before) {
  std::size_t removed = 0;
  auto done = database_.in_transaction([&](SqlConnection& connection) -> Result<void> {
    std::int64_t last_end = 0;
    auto jobs = ended_jobs(connection, 1, to_milliseconds(before), last_end);
    if (!jobs) return std::unexpected(jobs.error());
    removed = jobs->size();
    if (jobs->empty()) return {};
    std::vector<ArchivedRow> rows;
    if (conf.jobs.archive)
      if (auto ok = archive_jobs(connection, *jobs, rows); !ok) return ok;
    if (conf.jobs.archive || conf.steps.archive)
      if (auto ok = archive_steps(connection, *jobs, rows); !ok) return ok;
    if (auto ok = write_down(conf, "job", rows); !ok) return ok;
    if (auto ok = remove_rows(connection, "muster_steps", "job_index", *jobs); !ok) return ok;
    return remove_rows(connection, "muster_jobs", "job_index", *jobs);
  });
  if (!done) return std::unexpected(done.error());
  return removed;
}

// Steps go by the end of their job. How far that has come is kept, so that jobs whose steps are
// gone are not looked at again.
Result<std::size_t> Purge::purge_steps(const config::DbdConf& conf, Time before) {
  std::size_t looked_at = 0;
  auto done = database_.in_transaction([&](SqlConnection& connection) -> Result<void> {
    auto from = connection.number("SELECT value FROM muster_meta WHERE name = ?", {kStepsPurged});
    if (!from) return std::unexpected(from.error());
    std::int64_t last_end = *from;
    auto jobs = ended_jobs(connection, *from + 1, to_milliseconds(before), last_end);
    if (!jobs) return std::unexpected(jobs.error());
    looked_at = jobs->size();
    if (jobs->empty()) return {};
    std::vector<ArchivedRow> rows;
    if (conf.steps.archive)
      if (auto ok = archive_steps(connection, *jobs, rows); !ok) return ok;
    if (auto ok = write_down(conf, "step", rows); !ok) return ok;
    if (auto ok = remove_rows(connection, "muster_steps", "job_index", *jobs); !ok) return ok;
    return connection.run(upsert(connection.dialect(), "muster_meta", {"name"}, {"value"}),
                          {kStepsPurged, last_end});
  });
  if (!done) return std::unexpected(done.error());
  return looked_at;
}

Result<std::size_t> Purge::purge_transactions(const config::DbdConf& conf, Time before) {
  std::vector<std::int64_t> ids;
  auto done = database_.in_transaction([&](SqlConnection& connection) -> Result<void> {
    ids.clear();
    std::vector<ArchivedRow> rows;
    auto read = connection.run(
        fmt::format("SELECT id, content FROM muster_transactions WHERE at_ms < ? ORDER BY at_ms "
                    "LIMIT {}",
                    kRowsAtOnce),
        {to_milliseconds(before)}, [&](const SqlRow& row) -> Result<void> {
          ids.push_back(row.integer(0));
          if (!conf.transactions.archive) return {};
          auto content = decode<TransactionRow>(row.bytes(1));
          if (!content) return fail("a row of the database is damaged: " + content.error().text());
          rows.push_back({std::move(*content), {}});
          return {};
        });
    if (!read || ids.empty()) return read;
    if (auto ok = write_down(conf, "txn", rows); !ok) return ok;
    return remove_rows(connection, "muster_transactions", "id", ids);
  });
  if (!done) return std::unexpected(done.error());
  return ids.size();
}

Result<void> Purge::run(const config::DbdConf& conf, Time now) {
  using Part = Result<std::size_t> (Purge::*)(const config::DbdConf&, Time);
  struct Kind {
    std::string_view name;
    const config::Retention& retention;
    Part part;
  };
  const Kind kinds[] = {{"steps of ended jobs", conf.steps, &Purge::purge_steps},
                        {"jobs", conf.jobs, &Purge::purge_jobs},
                        {"transactions", conf.transactions, &Purge::purge_transactions}};
  for (const Kind& kind : kinds) {
    if (kind.retention.keep == Seconds{0}) continue;
    std::size_t all = 0;
    for (bool more = true; more && !is_stopped_;) {
      auto removed = (this->*kind.part)(conf, now - kind.retention.keep);
      if (!removed) return std::unexpected(removed.error());
      all += *removed;
      more = *removed == static_cast<std::size_t>(kRowsAtOnce);
    }
    if (all > 0) io::log_info("purged {}: {}", kind.name, all);
  }
  return {};
}

}  // namespace muster::dbd
