// sql: one connection to a database server, as the stores use it: prepared statements with `?` for
// each value, rows as they arrive, and the few places where databases speak differently. Values are
// whole numbers and bytes, nothing else.
//
// After a failure a connection is thrown away, with whatever transaction was open. So what a
// statement has left behind never matters.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace muster::dbd {

// Prepared statements that a connection keeps: lists of several lengths make several statements.
inline constexpr std::size_t kMostStatements = 200;

using SqlValue = std::variant<std::int64_t, std::string_view>;

// The row of an answer; columns are numbered from 0. Valid until the next row.
class SqlRow {
 public:
  virtual ~SqlRow() = default;
  virtual std::int64_t integer(std::size_t column) const = 0;  // 0 for NULL
  virtual std::string_view bytes(std::size_t column) const = 0;
};
using OnRow = std::function<Result<void>(const SqlRow&)>;

// What databases write differently.
struct SqlDialect {
  std::string_view bytes_type;    // of a column with bytes of any length
  std::string_view key_type;      // of a column with bytes that has an index
  std::string_view numbered_key;  // of a column that gives each new row the next number
  std::string_view begin;         // of a transaction that writes
  std::string_view for_update;    // after a SELECT whose rows the transaction changes
  bool on_duplicate_key = false;  // else ON CONFLICT
  std::string_view has_table;     // how many tables have the name `?`
};

class SqlConnection {
 public:
  virtual ~SqlConnection() = default;

  virtual const SqlDialect& dialect() const = 0;
  // Prepares the statement when it is run for the first time, and keeps it by its text.
  virtual Result<void> run(std::string_view statement, std::span<const SqlValue> values,
                           const OnRow& on_row) = 0;
  // Runs an INSERT into a table with a numbered key, and returns the new row's number.
  virtual Result<std::int64_t> insert(std::string_view statement, std::span<const SqlValue> values,
                                      std::string_view numbered_column) = 0;
  virtual Result<void> execute(const std::string& statement) = 0;  // without values, no answer
  virtual bool answers() = 0;  // whether the server is still there

  Result<void> run(std::string_view statement, std::initializer_list<SqlValue> values,
                   const OnRow& on_row = {}) {
    return run(statement, std::span(values.begin(), values.size()), on_row);
  }
  // The first column of the first row; 0 if there is none.
  Result<std::int64_t> number(std::string_view statement, std::initializer_list<SqlValue> values);
};

// "INSERT INTO t(a, b, c) VALUES (?, ?, ?)", replacing c where a row with the same keys a, b is.
std::string upsert(const SqlDialect& dialect, std::string_view table,
                   std::initializer_list<std::string_view> keys,
                   std::initializer_list<std::string_view> others);
std::string placeholders(std::size_t count);  // "?,?,?"

// A database, and a connection to it that is made when it is needed. Thread-safe: one user at a
// time.
class SqlDatabase {
 public:
  using Open = std::function<Result<std::unique_ptr<SqlConnection>>()>;
  explicit SqlDatabase(Open open) : open_(std::move(open)) {}

  using Work = std::function<Result<void>(SqlConnection&)>;
  Result<void> use(const Work& work);
  // All of it or nothing. After an error it may be either, if the server was lost at the very end.
  Result<void> in_transaction(const Work& work);

 private:
  Result<void> connect();
  Result<void> finish(Result<void> done);

  const Open open_;
  std::mutex mutex_;  // guards the members below
  std::unique_ptr<SqlConnection> connection_;
  std::chrono::steady_clock::time_point last_used_;
};

}  // namespace muster::dbd
