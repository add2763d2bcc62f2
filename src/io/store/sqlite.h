// A thin layer over SQLite's C interface: a database handle and prepared statements that clean up
// after themselves, and errors that name the file. Not thread-safe: the owner's mutex guards both.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace muster::io {

class Statement {
 public:
  enum class Step : std::uint8_t { row, done };

  Statement() = default;
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}

  // Parameters are numbered from 1. Bytes must stay valid until the statement is reset.
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, std::string_view bytes);  // as a BLOB
  Statement& bind_text(int index, std::string_view text);

  Result<Step> step();
  // A statement that returns no rows: step, then reset, whatever came of it.
  Result<void> run();
  void reset();

  // Columns are numbered from 0 and valid until the next step.
  std::int64_t integer(int column) const;
  std::string_view bytes(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const;
  };
  void note(int code);  // of a bind

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int bind_failure_ = 0;  // told by the next step
};

// Resets a statement at the end of a scope, so that an early return leaves no read open.
class ResetLater {
 public:
  explicit ResetLater(Statement& statement) : statement_(statement) {}
  ResetLater(const ResetLater&) = delete;
  ResetLater& operator=(const ResetLater&) = delete;
  ~ResetLater() { statement_.reset(); }

 private:
  Statement& statement_;
};

class Database {
 public:
  struct Options {
    std::string vfs = {};  // empty = the system's
    bool synchronous =
        true;  // false gives up durability: for the tests that show what is lost then
    int cache_mib = 1;
  };

  // Opens or creates `path` for this process alone, in WAL mode, with checkpoints left to the
  // owner: SQLite's automatic ones ignore a failing fsync.
  static Result<Database> open(const std::string& path, const Options& options);

  Result<void> execute(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);
  Result<void> check();  // all pages are read and compared: a damaged file is an error
  Result<std::int64_t> query_integer(std::string_view sql);
  std::int64_t last_row() const;  // that was inserted

  // Moves what the WAL holds into the database file once it has grown beyond `pages`. A full disk
  // is no error here: the WAL keeps everything and a later call tries again.
  Result<void> checkpoint_beyond(int pages);

  // Sees to it that the next commits overwrite parts of the WAL file instead of making it grow: a
  // file's new size costs a sync of its own, so a commit takes about half as long then.
  void keep_wal_ahead();

  // Gives back the memory of pages that nobody uses at the moment; they are read again when needed.
  void release_memory();

  // Whether the last failure meant that the disk or the quota is full (and nothing worse).
  bool last_failure_was_full() const;
  bool in_transaction() const;
  Error error(std::string_view doing) const;
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  Result<void> configure(const Options& options);

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::unique_ptr<int> wal_pages_;  // on the heap: SQLite's hook keeps its address
  std::int64_t wal_size_ = 0;       // of the file, as far as known
};

// One transaction: rolled back when it goes out of scope without a commit.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace muster::io
