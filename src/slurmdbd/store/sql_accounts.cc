// See sql_accounts.h.
#include "slurmdbd/store/sql_accounts.h"

#include <limits>

#include <fmt/format.h>

#include "base/codec/codec.h"

namespace muster::dbd {

namespace {

struct StoredReset {
  ForgottenUsage reset;
  template <class V>
  void fields(V& v) {
    v(1, reset);
  }
};

std::int64_t in_ms(Time t) { return t.time_since_epoch().count(); }

template <class T>
Result<T> decode_row(std::string_view bytes) {
  auto row = decode<T>(bytes);
  if (!row) return fail("a row of the database is damaged: " + row.error().text());
  return row;
}

constexpr std::string_view kReadVersion = "SELECT value FROM muster_meta WHERE name = ?";

}  // namespace

Result<AccountsStore::Content> SqlAccounts::load() {
  Content content;
  auto read = database_.in_transaction([&](SqlConnection& connection) -> Result<void> {
    content = {};
    auto version = connection.number(kReadVersion, {std::string_view("version")});
    if (!version) return std::unexpected(version.error());
    content.version = static_cast<std::uint64_t>(*version);
    return connection.run("SELECT content FROM muster_site", {},
                          [&](const SqlRow& row) -> Result<void> {
                            auto entry = decode_row<SiteRowEntry>(row.bytes(0));
                            if (!entry) return std::unexpected(entry.error());
                            content.rows.push_back(std::move(entry->row));
                            return {};
                          });
  });
  if (!read) return std::unexpected(read.error());
  is_behind_ = false;
  return content;
}

Result<void> SqlAccounts::commit(const Change& change) {
  auto done = database_.in_transaction(
      [&](SqlConnection& connection) { return write(connection, change); });
  if (!done) is_behind_ = true;
  return done;
}

Result<void> SqlAccounts::write(SqlConnection& connection, const Change& change) {
  const SqlDialect& dialect = connection.dialect();
  auto version = connection.number(fmt::format("{}{}", kReadVersion, dialect.for_update),
                                   {std::string_view("version")});
  if (!version) return std::unexpected(version.error());
  if (static_cast<std::uint64_t>(*version) + 1 != change.version)
    return fail("the accounts in the database have changed meanwhile; try again");
  const std::string put = upsert(dialect, "muster_site", {"row_key"}, {"content"});
  for (const SiteRow& row : change.rows) {
    const std::string key = key_of(row), bytes = encode(SiteRowEntry{row});
    if (auto ok = connection.run(put, {std::string_view(key), std::string_view(bytes)}); !ok)
      return ok;
  }
  for (const TransactionRow& row : change.transactions) {
    const std::string bytes = encode(row);
    if (auto ok = connection.run("INSERT INTO muster_transactions(at_ms, content) VALUES (?, ?)",
                                 {in_ms(row.at), std::string_view(bytes)});
        !ok)
      return ok;
  }
  if (auto ok = write_resets(connection, change); !ok) return ok;
  return connection.run(upsert(dialect, "muster_meta", {"name"}, {"value"}),
                        {std::string_view("version"), static_cast<std::int64_t>(change.version)});
}

// Each controller has to hear of it, those that are away as well.
Result<void> SqlAccounts::write_resets(SqlConnection& connection, const Change& change) {
  if (change.resets.empty()) return {};
  std::vector<std::string> fed;
  auto read = connection.run("SELECT cluster FROM muster_feeds", {},
                             [&](const SqlRow& row) -> Result<void> {
                               fed.emplace_back(row.bytes(0));
                               return {};
                             });
  if (!read) return read;
  for (const ForgottenUsage& reset : change.resets) {
    const std::string bytes = encode(StoredReset{reset});
    for (const std::string& cluster : fed) {
      if (!reset.cluster.empty() && reset.cluster != cluster) continue;
      if (auto ok = connection.run(
              "INSERT INTO muster_resets(cluster, version, content) VALUES (?, ?, ?)",
              {std::string_view(cluster), static_cast<std::int64_t>(change.version),
               std::string_view(bytes)});
          !ok)
        return ok;
    }
  }
  return {};
}

Result<void> SqlAccounts::transactions(Time start, Time end,
                                       const std::function<bool(TransactionRow)>& visit) {
  const auto last = is_set(end) ? in_ms(end) : std::numeric_limits<std::int64_t>::max();
  bool wants_more = true;
  return database_.use([&](SqlConnection& connection) {
    return connection.run(
        "SELECT id, content FROM muster_transactions WHERE at_ms >= ? AND at_ms <= ? ORDER BY id",
        {in_ms(start), last}, [&](const SqlRow& row) -> Result<void> {
          if (!wants_more) return {};
          auto found = decode_row<TransactionRow>(row.bytes(1));
          if (!found) return std::unexpected(found.error());
          found->id = static_cast<std::uint64_t>(row.integer(0));
          wants_more = visit(std::move(*found));
          return {};
        });
  });
}

Result<std::vector<ForgottenUsage>> SqlAccounts::resets_of(const Text& cluster) {
  std::vector<ForgottenUsage> found;
  auto read = database_.use([&](SqlConnection& connection) {
    found.clear();
    return connection.run("SELECT content FROM muster_resets WHERE cluster = ? ORDER BY id",
                          {cluster.view()}, [&](const SqlRow& row) -> Result<void> {
                            auto reset = decode_row<StoredReset>(row.bytes(0));
                            if (!reset) return std::unexpected(reset.error());
                            found.push_back(std::move(reset->reset));
                            return {};
                          });
  });
  if (!read) return std::unexpected(read.error());
  return found;
}

Result<void> SqlAccounts::drop_resets(const Text& cluster, std::uint64_t up_to_version) {
  return database_.in_transaction([&](SqlConnection& connection) {
    return connection.run("DELETE FROM muster_resets WHERE cluster = ? AND version <= ?",
                          {cluster.view(), static_cast<std::int64_t>(up_to_version)});
  });
}

}  // namespace muster::dbd
