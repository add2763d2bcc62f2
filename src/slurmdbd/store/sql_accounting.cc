// Stores batches exactly once, and reads what queries ask for.
#include "slurmdbd/store/sql_accounting.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "base/text/strings.h"
#include "slurmdbd/store/record_writer.h"

namespace muster::dbd {

namespace {

// Databases take some ten thousand values with a statement.
constexpr std::size_t kIdsPerRead = 5000;

template <class T>
Result<T> decode_record(std::string_view bytes) {
  auto record = decode<T>(bytes);
  if (!record) return fail("a record in the database is damaged: " + record.error().text());
  return record;
}

Result<BatchNumber> read_last(SqlConnection& connection, const Feed& feed, std::string_view how) {
  auto last = connection.number(
      fmt::format("SELECT last_batch FROM muster_feeds WHERE cluster = ? AND stream = ?{}", how),
      {feed.cluster.view(), std::string_view(feed.stream)});
  if (!last) return std::unexpected(last.error());
  return static_cast<BatchNumber>(*last);
}

}  // namespace

Result<BatchNumber> SqlAccounting::last_of(const Feed& feed) {
  BatchNumber last = 0;
  auto read = writes_.use([&](SqlConnection& connection) -> Result<void> {
    auto found = read_last(connection, feed, "");
    if (!found) return std::unexpected(found.error());
    last = *found;
    return {};
  });
  if (!read) return std::unexpected(read.error());
  return last;
}

Result<bool> SqlAccounting::ingest(const Feed& feed, BatchNumber number,
                                   const std::vector<AccountingRecord>& records) {
  bool is_new = true;
  auto done = writes_.in_transaction([&](SqlConnection& connection) -> Result<void> {
    auto last = read_last(connection, feed, connection.dialect().for_update);
    if (!last) return std::unexpected(last.error());
    is_new = number > *last;
    if (!is_new) return {};
    RecordWriter writer(connection, feed.cluster);
    for (const AccountingRecord& record : records)
      if (auto put = std::visit([&](const auto& r) { return writer.put(r); }, record); !put)
        return put;
    return connection.run(
        upsert(connection.dialect(), "muster_feeds", {"cluster"}, {"stream", "last_batch"}),
        {feed.cluster.view(), std::string_view(feed.stream), static_cast<std::int64_t>(number)});
  });
  if (!done) return std::unexpected(done.error());
  return is_new;
}

// One statement: which rows it reads, by values that may be left out.
struct SqlAccounting::Filter {
  std::int64_t ended_since_ms = 0;
  std::string_view id_column;  // empty = all ids
  std::span<const JobId> ids;
  const std::vector<Text>& clusters;
  const std::vector<Uid>& uids;
  std::vector<std::string> users;  // in lower case

  std::string statement() const {
    std::string text =
        "SELECT job_index, content FROM muster_jobs WHERE (ended_ms = 0 OR ended_ms >= ?)";
    auto add = [&](std::string_view column, std::size_t count) {
      if (count > 0) text += fmt::format(" AND {} IN ({})", column, placeholders(count));
    };
    add("cluster", clusters.size());
    if (!id_column.empty()) add(id_column, ids.size());
    if (uids.empty()) add("user_name", users.size());
    if (users.empty()) add("uid", uids.size());
    if (!users.empty() && !uids.empty())
      text += fmt::format(" AND (uid IN ({}) OR user_name IN ({}))", placeholders(uids.size()),
                          placeholders(users.size()));
    return text;
  }
  std::vector<SqlValue> values() const {
    std::vector<SqlValue> all{ended_since_ms};
    for (const Text& cluster : clusters) all.emplace_back(cluster.view());
    if (!id_column.empty())
      for (JobId id : ids) all.emplace_back(std::int64_t{id.value});
    for (Uid uid : uids) all.emplace_back(std::int64_t{uid.value});
    for (const std::string& user : users) all.emplace_back(std::string_view(user));
    return all;
  }
};

Result<void> SqlAccounting::read_jobs(const Filter& filter,
                                      const std::function<void(Candidate)>& visit) {
  return reads_.use([&](SqlConnection& connection) {
    return connection.run(filter.statement(), std::span<const SqlValue>(filter.values()),
                          [&](const SqlRow& row) -> Result<void> {
                            auto job = decode_record<JobRecord>(row.bytes(1));
                            if (!job) return std::unexpected(job.error());
                            visit({row.integer(0), std::move(*job)});
                            return {};
                          });
  });
}

// A row may be visited twice: as a job, and as an array's task.
Result<void> SqlAccounting::scan(const Scan& scan, const std::function<void(Candidate)>& visit) {
  std::vector<JobId> ids = scan.jobs;
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  // Users give whole seconds, so a job that ended within the first second is included.
  Filter filter{unix_seconds(scan.ended_since) * 1000, {}, {}, scan.clusters, scan.uids, {}};
  for (const Text& user : scan.users) filter.users.push_back(lower(user));
  if (ids.empty()) return read_jobs(filter, visit);
  for (std::size_t at = 0; at < ids.size(); at += kIdsPerRead) {
    filter.ids = std::span(ids).subspan(at, std::min(kIdsPerRead, ids.size() - at));
    for (std::string_view column : {"job", "array_id"}) {
      filter.id_column = column;
      if (auto read = read_jobs(filter, visit); !read) return read;
    }
  }
  return {};
}

Result<std::optional<JobRecord>> SqlAccounting::job_at(std::int64_t index) {
  std::optional<JobRecord> found;
  auto read = reads_.use([&](SqlConnection& connection) {
    return connection.run("SELECT content FROM muster_jobs WHERE job_index = ?", {index},
                          [&](const SqlRow& row) -> Result<void> {
                            auto job = decode_record<JobRecord>(row.bytes(0));
                            if (!job) return std::unexpected(job.error());
                            found = std::move(*job);
                            return {};
                          });
  });
  if (!read) return std::unexpected(read.error());
  return found;
}

Result<std::vector<StepRecord>> SqlAccounting::steps_of(std::int64_t index) {
  std::vector<StepRecord> found;
  auto read = reads_.use([&](SqlConnection& connection) {
    return connection.run("SELECT content FROM muster_steps WHERE job_index = ?", {index},
                          [&](const SqlRow& row) -> Result<void> {
                            auto step = decode_record<StepRecord>(row.bytes(0));
                            if (!step) return std::unexpected(step.error());
                            found.push_back(std::move(*step));
                            return {};
                          });
  });
  if (!read) return std::unexpected(read.error());
  return found;
}

}  // namespace muster::dbd
