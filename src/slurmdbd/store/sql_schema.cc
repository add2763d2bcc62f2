// Each step brings the tables from one format to the next; new tables go through all of them. A
// step that was interrupted is repeated: databases do not take back what a transaction did to
// tables.
#include "slurmdbd/store/sql_schema.h"

#include <fmt/format.h>

namespace muster::dbd {

namespace {

// {bytes}, {key} and {number} are the dialect's types.
constexpr std::string_view kFormat1[] = {
    "CREATE TABLE IF NOT EXISTS muster_site(row_key {key} NOT NULL, content {bytes} NOT NULL, "
    "PRIMARY KEY(row_key))",
    "CREATE TABLE IF NOT EXISTS muster_transactions(id {number}, at_ms BIGINT NOT NULL, content "
    "{bytes} NOT NULL)",
    "CREATE INDEX IF NOT EXISTS muster_transactions_by_time ON muster_transactions(at_ms)",
    "CREATE TABLE IF NOT EXISTS muster_feeds(cluster {key} NOT NULL, stream {key} NOT NULL, "
    "last_batch BIGINT NOT NULL, PRIMARY KEY(cluster))",
    "CREATE TABLE IF NOT EXISTS muster_jobs(job_index {number}, cluster {key} NOT NULL, "
    "job BIGINT NOT NULL, attempt BIGINT NOT NULL, array_id BIGINT NOT NULL, uid BIGINT NOT NULL, "
    "user_name {key} NOT NULL, submitted_ms BIGINT NOT NULL, ended_ms BIGINT NOT NULL, "
    "content {bytes} NOT NULL)",
    "CREATE INDEX IF NOT EXISTS muster_jobs_by_id ON muster_jobs(cluster, job, attempt)",
    "CREATE INDEX IF NOT EXISTS muster_jobs_by_array ON muster_jobs(cluster, array_id)",
    "CREATE INDEX IF NOT EXISTS muster_jobs_by_end ON muster_jobs(ended_ms)",
    "CREATE TABLE IF NOT EXISTS muster_steps(job_index BIGINT NOT NULL, step BIGINT NOT NULL, "
    "content {bytes} NOT NULL, PRIMARY KEY(job_index, step))",
};

constexpr std::string_view kFormat2[] = {
    "CREATE TABLE IF NOT EXISTS muster_resets(id {number}, cluster {key} NOT NULL, version BIGINT "
    "NOT NULL, content {bytes} NOT NULL)",
    "CREATE INDEX IF NOT EXISTS muster_resets_by_cluster ON muster_resets(cluster)",
};

constexpr std::span<const std::string_view> kSteps[] = {kFormat1, kFormat2};
static_assert(std::size(kSteps) == kFormatOfTables);

constexpr std::string_view kMeta =
    "CREATE TABLE IF NOT EXISTS muster_meta(name {key} NOT NULL, value BIGINT NOT NULL, PRIMARY "
    "KEY(name))";

std::string in_dialect(const SqlDialect& dialect, std::string_view text) {
  std::string result(text);
  const std::pair<std::string_view, std::string_view> types[] = {
      {"{bytes}", dialect.bytes_type},
      {"{key}", dialect.key_type},
      {"{number}", dialect.numbered_key}};
  for (const auto& [name, type] : types)
    for (auto at = result.find(name); at != result.npos; at = result.find(name))
      result.replace(at, name.size(), type);
  return result;
}

Result<void> set_format(SqlConnection& connection, std::int64_t format) {
  return connection.run(upsert(connection.dialect(), "muster_meta", {"name"}, {"value"}),
                        {std::string_view("format"), format});
}

Result<void> take_steps(SqlConnection& connection, std::int64_t from, std::int64_t to) {
  for (std::int64_t format = from; format < to; ++format) {
    for (std::string_view text : kSteps[format])
      if (auto ok = connection.execute(in_dialect(connection.dialect(), text)); !ok) return ok;
    if (auto ok = set_format(connection, format + 1); !ok) return ok;
  }
  return {};
}

Result<std::int64_t> format_of(SqlConnection& connection) {
  auto tables =
      connection.number(connection.dialect().has_table, {std::string_view("muster_meta")});
  if (!tables || *tables == 0) return tables;
  return connection.number("SELECT value FROM muster_meta WHERE name = ?",
                           {std::string_view("format")});
}

}  // namespace

Result<void> make_tables(SqlConnection& connection, std::int64_t format) {
  if (auto ok = connection.execute(in_dialect(connection.dialect(), kMeta)); !ok) return ok;
  return take_steps(connection, 0, format);
}

Result<void> prepare_tables(SqlDatabase& database) {
  return database.use([](SqlConnection& connection) -> Result<void> {
    auto format = format_of(connection);
    if (!format) return std::unexpected(format.error());
    if (*format > kFormatOfTables)
      return fail(fmt::format(
          "the database was written by a newer version (format {}, this program knows {}); it was "
          "left as it is",
          *format, kFormatOfTables));
    if (*format == 0) return make_tables(connection, kFormatOfTables);
    return take_steps(connection, *format, kFormatOfTables);
  });
}

}  // namespace muster::dbd
