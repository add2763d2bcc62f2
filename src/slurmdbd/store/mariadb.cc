// MariaDB, through its C library. Answers are read row by row: those of a large query do not fit
// into memory.
#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "slurmdbd/store/databases.h"

namespace muster::dbd {

namespace {

constexpr SqlDialect kMariaDb{
    .bytes_type = "LONGBLOB",
    .key_type = "VARBINARY(1024)",
    .numbered_key = "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY",
    .begin = "START TRANSACTION",
    .for_update = " FOR UPDATE",
    .on_duplicate_key = true,
    .has_table =
        "SELECT count(*) FROM information_schema.tables WHERE table_schema = DATABASE() "
        "AND table_name = CAST(? AS CHAR)"};

bool may_pass(unsigned code) {
  return code == CR_CONNECTION_ERROR || code == CR_CONN_HOST_ERROR ||
         code == CR_SERVER_GONE_ERROR || code == CR_SERVER_LOST || code == CR_UNKNOWN_HOST ||
         code == ER_CON_COUNT_ERROR || code == ER_SERVER_SHUTDOWN || code == ER_LOCK_WAIT_TIMEOUT ||
         code == ER_LOCK_DEADLOCK;
}
std::unexpected<Error> failure(unsigned code, std::string_view text) {
  return fail(may_pass(code) ? ErrorCode::communication : ErrorCode::failure,
              fmt::format("MariaDB: {}", text));
}

// A statement with the places of one row of its answer.
class Prepared final : public SqlRow {
 public:
  static Result<std::unique_ptr<Prepared>> make(MYSQL* server, std::string_view text);
  ~Prepared() override { mysql_stmt_close(handle_); }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  Result<void> run(std::span<const SqlValue> values, const OnRow& on_row);
  std::int64_t inserted() const { return static_cast<std::int64_t>(mysql_stmt_insert_id(handle_)); }

  std::int64_t integer(std::size_t column) const override {
    return columns_[column].is_null ? 0 : columns_[column].number;
  }
  std::string_view bytes(std::size_t column) const override {
    const Column& c = columns_[column];
    return c.is_null ? std::string_view() : std::string_view(c.buffer).substr(0, c.length);
  }

 private:
  struct Column {
    bool is_number = false;
    std::int64_t number = 0;
    std::string buffer;
    unsigned long length = 0;
    my_bool is_null = 0, is_cut = 0;
  };

  explicit Prepared(MYSQL_STMT* handle) : handle_(handle) {}
  std::unexpected<Error> error() const {
    return failure(mysql_stmt_errno(handle_), mysql_stmt_error(handle_));
  }
  void describe();
  Result<void> bind_columns();
  Result<void> read_rest();
  Result<void> read_rows(const OnRow& on_row);

  MYSQL_STMT* handle_;
  std::vector<Column> columns_;
  std::vector<MYSQL_BIND> binds_;
};

Result<std::unique_ptr<Prepared>> Prepared::make(MYSQL* server, std::string_view text) {
  MYSQL_STMT* handle = mysql_stmt_init(server);
  if (!handle) return fail("MariaDB: there is not enough memory");
  std::unique_ptr<Prepared> made(new Prepared(handle));
  if (mysql_stmt_prepare(handle, text.data(), text.size()) != 0) return made->error();
  made->describe();
  return made;
}

void Prepared::describe() {
  MYSQL_RES* meta = mysql_stmt_result_metadata(handle_);
  if (!meta) return;
  columns_.resize(mysql_num_fields(meta));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const enum_field_types type = mysql_fetch_field_direct(meta, static_cast<unsigned>(i))->type;
    columns_[i].is_number =
        type == MYSQL_TYPE_LONGLONG || type == MYSQL_TYPE_LONG || type == MYSQL_TYPE_NEWDECIMAL;
    if (!columns_[i].is_number) columns_[i].buffer.resize(8 << 10);
  }
  mysql_free_result(meta);
}

Result<void> Prepared::bind_columns() {
  binds_.assign(columns_.size(), MYSQL_BIND{});
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    MYSQL_BIND& bind = binds_[i];
    bind.buffer_type = column.is_number ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_BLOB;
    bind.buffer = column.is_number ? static_cast<void*>(&column.number) : column.buffer.data();
    bind.buffer_length = column.is_number ? sizeof column.number : column.buffer.size();
    bind.length = &column.length;
    bind.is_null = &column.is_null;
    bind.error = &column.is_cut;
  }
  if (!binds_.empty() && mysql_stmt_bind_result(handle_, binds_.data()) != 0) return error();
  return {};
}

// What did not fit is fetched again into a larger place, which later rows have, too.
Result<void> Prepared::read_rest() {
  bool has_grown = false;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    if (column.is_number || column.is_null || column.length <= column.buffer.size()) continue;
    column.buffer.resize(column.length);
    MYSQL_BIND whole{};
    whole.buffer_type = MYSQL_TYPE_BLOB;
    whole.buffer = column.buffer.data();
    whole.buffer_length = column.buffer.size();
    whole.length = &column.length;
    if (mysql_stmt_fetch_column(handle_, &whole, static_cast<unsigned>(i), 0) != 0) return error();
    has_grown = true;
  }
  return has_grown ? bind_columns() : Result<void>{};
}

Result<void> Prepared::read_rows(const OnRow& on_row) {
  for (;;) {
    const int code = mysql_stmt_fetch(handle_);
    if (code == MYSQL_NO_DATA) return {};
    if (code != 0 && code != MYSQL_DATA_TRUNCATED) return error();
    if (auto ok = read_rest(); !ok) return ok;
    if (!on_row) continue;
    if (auto ok = on_row(*this); !ok) return ok;
  }
}

Result<void> Prepared::run(std::span<const SqlValue> values, const OnRow& on_row) {
  std::vector<MYSQL_BIND> given(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const auto* number = std::get_if<std::int64_t>(&values[i])) {
      given[i].buffer_type = MYSQL_TYPE_LONGLONG;
      given[i].buffer = const_cast<std::int64_t*>(number);
    } else {
      const auto bytes = std::get<std::string_view>(values[i]);
      given[i].buffer_type = MYSQL_TYPE_BLOB;
      given[i].buffer = const_cast<char*>(bytes.data() ? bytes.data() : "");
      given[i].buffer_length = bytes.size();
    }
  }
  if (mysql_stmt_param_count(handle_) != values.size())
    return fail("MariaDB: a statement has another number of values");
  if (!given.empty() && mysql_stmt_bind_param(handle_, given.data()) != 0) return error();
  if (mysql_stmt_execute(handle_) != 0) return error();
  if (columns_.empty()) return {};
  auto done = bind_columns();
  if (done) done = read_rows(on_row);
  mysql_stmt_free_result(handle_);
  return done;
}

class MariaDb final : public SqlConnection {
 public:
  explicit MariaDb(MYSQL* handle) : handle_(handle) {}
  ~MariaDb() override {
    statements_.clear();
    mysql_close(handle_);
  }
  MariaDb(const MariaDb&) = delete;
  MariaDb& operator=(const MariaDb&) = delete;

  const SqlDialect& dialect() const override { return kMariaDb; }
  Result<void> run(std::string_view text, std::span<const SqlValue> values,
                   const OnRow& on_row) override {
    auto statement = prepared(text);
    if (!statement) return std::unexpected(statement.error());
    return (*statement)->run(values, on_row);
  }
  Result<std::int64_t> insert(std::string_view text, std::span<const SqlValue> values,
                              std::string_view) override {
    auto statement = prepared(text);
    if (!statement) return std::unexpected(statement.error());
    if (auto done = (*statement)->run(values, {}); !done) return std::unexpected(done.error());
    return (*statement)->inserted();
  }
  Result<void> execute(const std::string& text) override {
    if (mysql_real_query(handle_, text.data(), text.size()) == 0) return {};
    return error();
  }
  bool answers() override { return mysql_ping(handle_) == 0; }

  std::unexpected<Error> error() const {
    return failure(mysql_errno(handle_), mysql_error(handle_));
  }
  MYSQL* handle() { return handle_; }

 private:
  Result<Prepared*> prepared(std::string_view text) {
    auto known = statements_.find(text);
    if (known != statements_.end()) return known->second.get();
    auto made = Prepared::make(handle_, text);
    if (!made) return std::unexpected(made.error());
    if (statements_.size() >= kMostStatements) statements_.clear();
    return statements_.emplace(text, std::move(*made)).first->second.get();
  }

  MYSQL* handle_;
  std::map<std::string, std::unique_ptr<Prepared>, std::less<>> statements_;
};

void set_options(MYSQL* handle) {
  constexpr unsigned kConnectSeconds = 5, kAnswerSeconds = 300;
  const my_bool no = 0;
  mysql_options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &kConnectSeconds);
  mysql_options(handle, MYSQL_OPT_READ_TIMEOUT, &kAnswerSeconds);
  mysql_options(handle, MYSQL_OPT_WRITE_TIMEOUT, &kAnswerSeconds);
  mysql_options(handle, MYSQL_OPT_RECONNECT, &no);
  mysql_options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
}

// Names of databases are quoted with backquotes, which are doubled within.
std::string quoted(std::string_view name) {
  std::string text = "`";
  for (char c : name) text.append(c == '`' ? 2 : 1, c);
  return text + "`";
}

Result<void> select_database(MariaDb& server, const std::string& name) {
  if (mysql_select_db(server.handle(), name.c_str()) == 0) return {};
  if (mysql_errno(server.handle()) != ER_BAD_DB_ERROR) return server.error();
  if (auto made = server.execute("CREATE DATABASE " + quoted(name)); !made) return made;
  if (mysql_select_db(server.handle(), name.c_str()) != 0) return server.error();
  return {};
}

}  // namespace

Result<std::unique_ptr<SqlConnection>> connect_mariadb(const config::DbdConf& conf) {
  MYSQL* handle = mysql_init(nullptr);
  if (!handle) return fail("MariaDB: there is not enough memory");
  auto server = std::make_unique<MariaDb>(handle);
  set_options(handle);
  const bool by_socket = !conf.storage_socket.empty();
  if (!mysql_real_connect(
          handle, by_socket ? nullptr : conf.storage_host.c_str(),
          conf.storage_user.empty() ? conf.slurm_user.c_str() : conf.storage_user.c_str(),
          conf.storage_pass.c_str(), nullptr, conf.storage_port,
          by_socket ? conf.storage_socket.c_str() : nullptr, 0))
    return server->error();
  if (auto ok = select_database(*server, conf.storage_place); !ok)
    return std::unexpected(ok.error());
  // Without strict mode a value that is too long would be cut.
  for (const char* text : {"SET SESSION sql_mode = 'STRICT_ALL_TABLES'",
                           "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"})
    if (auto ok = server->execute(text); !ok) return std::unexpected(ok.error());
  return server;
}

}  // namespace muster::dbd
