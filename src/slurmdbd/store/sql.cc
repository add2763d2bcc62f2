// What all databases have in common.
#include "slurmdbd/store/sql.h"

#include <fmt/format.h>

namespace muster::dbd {

namespace {

// Servers close connections that are idle for hours, and firewalls forget them.
constexpr std::chrono::seconds kIdle{20};

void append(std::string& list, std::string_view text) {
  list.append(list.empty() ? "" : ", ").append(text);
}

}  // namespace

Result<std::int64_t> SqlConnection::number(std::string_view statement,
                                           std::initializer_list<SqlValue> values) {
  std::int64_t found = 0;
  bool is_first = true;
  auto done = run(statement, values, [&](const SqlRow& row) -> Result<void> {
    if (std::exchange(is_first, false)) found = row.integer(0);
    return {};
  });
  if (!done) return std::unexpected(done.error());
  return found;
}

std::string placeholders(std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += i == 0 ? "?" : ",?";
  return list;
}

std::string upsert(const SqlDialect& dialect, std::string_view table,
                   std::initializer_list<std::string_view> keys,
                   std::initializer_list<std::string_view> others) {
  std::string key_list, columns, updates;
  for (std::string_view key : keys) append(key_list, key);
  columns = key_list;
  for (std::string_view other : others) {
    append(columns, other);
    append(updates, dialect.on_duplicate_key ? fmt::format("{0} = VALUES({0})", other)
                                             : fmt::format("{0} = excluded.{0}", other));
  }
  const std::string how = dialect.on_duplicate_key
                              ? std::string("ON DUPLICATE KEY UPDATE")
                              : fmt::format("ON CONFLICT ({}) DO UPDATE SET", key_list);
  return fmt::format("INSERT INTO {}({}) VALUES ({}) {} {}", table, columns,
                     placeholders(keys.size() + others.size()), how, updates);
}

Result<void> SqlDatabase::connect() {
  const auto now = std::chrono::steady_clock::now();
  if (connection_ && now - last_used_ > kIdle && !connection_->answers()) connection_.reset();
  last_used_ = now;
  if (connection_) return {};
  auto opened = open_();
  if (!opened) return std::unexpected(opened.error());
  connection_ = std::move(*opened);
  return {};
}

Result<void> SqlDatabase::finish(Result<void> done) {
  if (!done) connection_.reset();
  last_used_ = std::chrono::steady_clock::now();
  return done;
}

Result<void> SqlDatabase::use(const Work& work) {
  const std::lock_guard lock(mutex_);
  if (auto ok = connect(); !ok) return ok;
  return finish(work(*connection_));
}

Result<void> SqlDatabase::in_transaction(const Work& work) {
  const std::lock_guard lock(mutex_);
  if (auto ok = connect(); !ok) return ok;
  auto done = connection_->execute(std::string(connection_->dialect().begin));
  if (!done) {  // the server was restarted meanwhile: nothing has happened yet
    connection_.reset();
    if (auto ok = connect(); !ok) return ok;
    done = connection_->execute(std::string(connection_->dialect().begin));
  }
  if (done) done = work(*connection_);
  if (done) done = connection_->execute("COMMIT");
  return finish(std::move(done));
}

}  // namespace muster::dbd
