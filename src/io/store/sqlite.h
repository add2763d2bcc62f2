// sqlite: a thin layer over SQLite's C interface: a database handle and prepared statements that
// release themselves, and errors that name the file. Not thread-safe; the owner's mutex guards
// them.
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
  // Runs a statement that returns no rows, and resets it in any case.
  Result<void> run();
  void reset();

  // Columns are numbered from 0 and valid until the next step.
  std::int64_t integer(int column) const;
  std::string_view bytes(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const;
  };
  void note(int code);  // keeps the first failure of a bind

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int bind_failure_ = 0;  // reported by the next step
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

// Identifies a file whatever its name is.
struct FileId {
  std::uint64_t device = 0, inode = 0;
  bool operator==(const FileId&) const = default;
};

class Database {
 public:
  struct Options {
    std::string vfs = {};     // empty = the system's
    bool synchronous = true;  // false gives up durability; for tests that show what would be lost
    int cache_mib = 1;
  };

  // Opens or creates `path` for this process alone, in WAL mode. The owner makes the checkpoints,
  // because SQLite's automatic ones ignore a failing fsync.
  static Result<Database> open(const std::string& path, const Options& options);

  Result<void> execute(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);
  // Whether the opened file is still at its path: what is written to a file that was replaced or
  // removed would be lost.
  Result<void> check_place() const;
  Result<void> check();  // reads and checks all pages; fails if the file is damaged
  Result<std::int64_t> query_integer(std::string_view sql);
  std::int64_t last_row() const;  // the row inserted last

  // Moves the contents of the WAL into the database file if it has more than `pages` pages. A full
  // disk is not an error here: the WAL keeps everything, and a later call tries again.
  Result<void> checkpoint_beyond(int pages);

  // Extends the WAL file in advance, so that the next commits overwrite parts of it. Otherwise each
  // commit would also have to sync the file's new size, and take about twice as long.
  void keep_wal_ahead();

  // Frees the memory of cached pages; they are read again when needed.
  void release_memory();

  // Whether the last failure only meant that the disk or the quota is full.
  bool last_failure_was_full() const;
  bool last_failure_was_memory() const;
  bool in_transaction() const;
  Error error(std::string_view doing) const;
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  Result<void> configure(const Options& options);

  std::string path_;
  std::optional<FileId> opened_;  // none if the path is no file of the system
  std::unique_ptr<sqlite3, Close> handle_;
  std::unique_ptr<int> wal_pages_;  // on the heap: SQLite's hook keeps its address
  std::int64_t wal_size_ = 0;       // size of the WAL file, as far as known
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
