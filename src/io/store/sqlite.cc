// Opens and configures databases, runs statements, and tells a full disk from worse failures.
#include "io/store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace muster::io {

namespace {

Error statement_error(sqlite3_stmt* handle) {
  sqlite3* database = sqlite3_db_handle(handle);
  const char* path = sqlite3_db_filename(database, "main");
  return {ErrorCode::failure,
          fmt::format("{}: {}", path ? path : "database", sqlite3_errmsg(database))};
}

std::optional<FileId> file_at(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

int note_wal_pages(void* pages, sqlite3*, const char*, int count) {
  *static_cast<int*>(pages) = count;
  return SQLITE_OK;
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

void Statement::note(int code) {
  if (code != SQLITE_OK && bind_failure_ == SQLITE_OK) bind_failure_ = code;
}

Statement& Statement::bind(int index, std::int64_t value) {
  note(sqlite3_bind_int64(handle_.get(), index, value));
  return *this;
}

Statement& Statement::bind(int index, std::string_view bytes) {
  // A null pointer would bind NULL instead of an empty blob.
  note(sqlite3_bind_blob64(handle_.get(), index, bytes.empty() ? "" : bytes.data(), bytes.size(),
                           SQLITE_STATIC));
  return *this;
}

Statement& Statement::bind_text(int index, std::string_view text) {
  note(sqlite3_bind_text64(handle_.get(), index, text.empty() ? "" : text.data(), text.size(),
                           SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Result<Statement::Step> Statement::step() {
  if (bind_failure_ != SQLITE_OK)
    return fail(fmt::format("a value cannot be stored: {}", sqlite3_errstr(bind_failure_)));
  switch (sqlite3_step(handle_.get())) {
    case SQLITE_ROW:
      return Step::row;
    case SQLITE_DONE:
      return Step::done;
    default:
      return std::unexpected(statement_error(handle_.get()));
  }
}

Result<void> Statement::run() {
  auto step = this->step();
  reset();
  if (!step) return std::unexpected(step.error());
  return {};
}

void Statement::reset() {
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
  bind_failure_ = SQLITE_OK;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(handle_.get(), column);
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return data ? std::string_view(static_cast<const char*>(data), size) : std::string_view();
}

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Result<Database> Database::open(const std::string& path, const Options& options) {
  // We do not need SQLite's memory statistics, and they cost a lock for each allocation. If SQLite
  // is in use already, this call does nothing.
  [[maybe_unused]] static const int kUncounted = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  Database database;
  database.path_ = path;
  database.wal_pages_ = std::make_unique<int>(0);
  sqlite3* handle = nullptr;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  int code = sqlite3_open_v2(path.c_str(), &handle, flags,
                             options.vfs.empty() ? nullptr : options.vfs.c_str());
  database.handle_.reset(handle);  // there is a handle to close even if opening failed
  if (code != SQLITE_OK) return std::unexpected(database.error("cannot open it"));
  if (auto configured = database.configure(options); !configured)
    return std::unexpected(configured.error());
  database.opened_ = file_at(path);
  return database;
}

Result<void> Database::check_place() const {
  if (!opened_ || file_at(path_) == opened_) return {};
  return fail(path_ +
              ": it is not the file that was opened. Put that file back, or restart the daemon to "
              "use what is there now");
}

// The order matters. Exclusive locking before the first access keeps the WAL index in memory,
// without a shared-memory file. Full synchronisation must be set before WAL mode is written to the
// file.
Result<void> Database::configure(const Options& options) {
  sqlite3_extended_result_codes(handle_.get(), 1);
  sqlite3_busy_timeout(handle_.get(), 0);
  auto set = [&]() -> Result<void> {
    if (auto done = execute("PRAGMA locking_mode=EXCLUSIVE"); !done) return done;
    if (auto done =
            execute(options.synchronous ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=OFF");
        !done)
      return done;
    return execute("PRAGMA journal_mode=WAL");
  }();
  if (!set) {
    if (sqlite3_errcode(handle_.get()) == SQLITE_BUSY)
      return fail(path_ + ": in use by another process");
    return set;
  }
  if (auto done = execute("PRAGMA temp_store=MEMORY"); !done) return done;
  if (auto done = execute(fmt::format("PRAGMA cache_size=-{}", options.cache_mib * 1024)); !done)
    return done;
  if (auto done = execute("PRAGMA journal_size_limit=67108864"); !done) return done;
  sqlite3_wal_hook(handle_.get(), note_wal_pages,
                   wal_pages_.get());  // also turns off automatic checkpoints
  return {};
}

void Database::release_memory() { sqlite3_db_release_memory(handle_.get()); }

Result<void> Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return std::unexpected(error("cannot use it"));
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return std::unexpected(error("cannot use it"));
  return Statement(statement);
}

Result<void> Database::check() {
  auto statement = prepare("PRAGMA quick_check(1)");
  if (!statement) return std::unexpected(statement.error());
  auto step = statement->step();
  if (!step) return std::unexpected(step.error());
  const std::string found(*step == Statement::Step::row ? statement->bytes(0) : "no answer");
  if (found == "ok") return {};
  return fail(fmt::format("{}: damaged: {}; it was left as it is. Restore it", path_, found));
}

Result<std::int64_t> Database::query_integer(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  auto step = statement->step();
  if (!step) return std::unexpected(step.error());
  return *step == Statement::Step::row ? statement->integer(0) : 0;
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_.get()); }

Result<void> Database::checkpoint_beyond(int pages) {
  if (*wal_pages_ <= pages) return {};
  int code = sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr,
                                       nullptr);
  if (code != SQLITE_OK && !last_failure_was_full()) return std::unexpected(error("checkpoint"));
  *wal_pages_ = 0;  // if the disk was full: try again after as many pages again
  return {};
}

// Appends zeros. They are not valid frames, because frames have checksums, so the WAL still ends
// where it did. If there is no room for them, the commit that needs the room will report it.
void Database::keep_wal_ahead() {
  static constexpr std::int64_t kWalPage = 4096 + 24;  // including the frame's header
  static constexpr std::int64_t kLow = 64 << 10, kStep = 1 << 20;
  static constexpr std::array<char, 64 << 10> kZeros{};
  const std::int64_t used = *wal_pages_ * kWalPage;
  if (used + kLow <= wal_size_) return;
  sqlite3_file* wal = nullptr;
  sqlite3_int64 size = 0;
  if (sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &wal) !=
          SQLITE_OK ||
      !wal->pMethods || wal->pMethods->xFileSize(wal, &size) != SQLITE_OK)
    return;
  for (; size < used + kStep; size += kZeros.size())
    if (wal->pMethods->xWrite(wal, kZeros.data(), kZeros.size(), size) != SQLITE_OK) break;
  wal_size_ = size;
}

bool Database::last_failure_was_full() const {
  int code = sqlite3_extended_errcode(handle_.get());
  if (code == SQLITE_FULL) return true;
  // A failing fsync never counts as a full disk: the data that it should have written may be lost.
  if (code != SQLITE_IOERR_WRITE && code != SQLITE_IOERR_TRUNCATE) return false;
  int system = sqlite3_system_errno(handle_.get());
  return system == ENOSPC || system == EDQUOT;
}

bool Database::last_failure_was_memory() const {
  const int code = sqlite3_extended_errcode(handle_.get());
  return code == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM;
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

Error Database::error(std::string_view doing) const {
  int system = handle_ ? sqlite3_system_errno(handle_.get()) : 0;
  std::string detail = fmt::format("{}: {}: {}", path_, doing,
                                   handle_ ? sqlite3_errmsg(handle_.get()) : "no memory");
  if (system != 0) detail += fmt::format(" ({})", std::strerror(system));
  return {ErrorCode::failure, detail};
}

Result<Transaction> Transaction::begin(Database& database) {
  if (auto begun = database.execute("BEGIN IMMEDIATE"); !begun)
    return std::unexpected(begun.error());
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_ && database_->in_transaction()) (void)database_->execute("ROLLBACK");
}

Result<void> Transaction::commit() { return database_->execute("COMMIT"); }

}  // namespace muster::io
