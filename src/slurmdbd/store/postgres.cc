// PostgreSQL, through libpq. Values travel in binary form, and answers row by row.
#include <endian.h>
#include <libpq-fe.h>

#include <fmt/format.h>

#include <cstring>
#include <map>

#include "slurmdbd/store/databases.h"

namespace muster::dbd {

namespace {

constexpr SqlDialect kPostgres{.bytes_type = "BYTEA",
                               .key_type = "BYTEA",
                               .numbered_key = "BIGSERIAL PRIMARY KEY",
                               .begin = "BEGIN",
                               .for_update = " FOR UPDATE",
                               .on_duplicate_key = false,
                               .has_table =
                                   "SELECT count(*) FROM pg_tables WHERE schemaname = "
                                   "current_schema() AND tablename = convert_from(?, 'UTF8')"};

constexpr Oid kInteger = 20, kBytes = 17;  // int8, bytea

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Answer = std::unique_ptr<PGresult, ClearResult>;

class Row final : public SqlRow {
 public:
  explicit Row(const PGresult* result) : result_(result) {}
  std::int64_t integer(std::size_t column) const override {
    const std::string_view eight = bytes(column);
    std::uint64_t value = 0;
    if (eight.size() != sizeof value) return 0;
    std::memcpy(&value, eight.data(), sizeof value);
    return static_cast<std::int64_t>(be64toh(value));
  }
  std::string_view bytes(std::size_t column) const override {
    const int c = static_cast<int>(column);
    return {PQgetvalue(result_, 0, c), static_cast<std::size_t>(PQgetlength(result_, 0, c))};
  }

 private:
  const PGresult* result_;
};

// The values of a statement, as libpq wants them.
struct Parameters {
  std::vector<Oid> types;
  std::vector<std::uint64_t> numbers;
  std::vector<const char*> places;
  std::vector<int> lengths, formats;

  explicit Parameters(std::span<const SqlValue> values) {
    numbers.reserve(values.size());  // places point into it
    for (const SqlValue& value : values) {
      const auto* number = std::get_if<std::int64_t>(&value);
      types.push_back(number ? kInteger : kBytes);
      if (number) {
        numbers.push_back(htobe64(static_cast<std::uint64_t>(*number)));
        places.push_back(reinterpret_cast<const char*>(&numbers.back()));
        lengths.push_back(sizeof(std::uint64_t));
      } else {
        const auto bytes = std::get<std::string_view>(value);
        places.push_back(bytes.data() ? bytes.data() : "");
        lengths.push_back(static_cast<int>(bytes.size()));
      }
    }
    formats.assign(values.size(), 1);
  }
  int count() const { return static_cast<int>(types.size()); }
};

// "a = ? AND b = ?" -> "a = $1 AND b = $2"
std::string numbered(std::string_view text) {
  std::string result;
  int next = 1;
  for (char c : text)
    if (c == '?')
      result += fmt::format("${}", next++);
    else
      result += c;
  return result;
}

class Postgres final : public SqlConnection {
 public:
  explicit Postgres(PGconn* handle) : handle_(handle) {}
  ~Postgres() override { PQfinish(handle_); }
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;

  const SqlDialect& dialect() const override { return kPostgres; }
  Result<void> run(std::string_view text, std::span<const SqlValue> values,
                   const OnRow& on_row) override;
  Result<std::int64_t> insert(std::string_view text, std::span<const SqlValue> values,
                              std::string_view numbered_column) override;
  Result<void> execute(const std::string& text) override {
    const Answer answer(PQexec(handle_, text.c_str()));
    return check(answer.get());
  }
  bool answers() override { return execute("SELECT 1").has_value(); }

  std::unexpected<Error> error() const {
    std::string text = PQerrorMessage(handle_);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return fail(PQstatus(handle_) == CONNECTION_OK ? ErrorCode::failure : ErrorCode::communication,
                "PostgreSQL: " + text);
  }

 private:
  Result<void> check(const PGresult* answer) const {
    const ExecStatusType status = PQresultStatus(answer);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_SINGLE_TUPLE)
      return {};
    return error();
  }
  Result<std::string> prepared(std::string_view text, const Parameters& parameters);
  Result<void> read_rows(const OnRow& on_row);

  PGconn* handle_;
  std::map<std::string, std::string, std::less<>> names_;  // of statements, by their text
  std::uint64_t next_name_ = 0;
};

Result<std::string> Postgres::prepared(std::string_view text, const Parameters& parameters) {
  auto known = names_.find(text);
  if (known != names_.end()) return known->second;
  if (names_.size() >= kMostStatements) {
    if (auto ok = execute("DEALLOCATE ALL"); !ok) return std::unexpected(ok.error());
    names_.clear();
  }
  std::string name = fmt::format("s{}", next_name_++);
  const Answer answer(PQprepare(handle_, name.c_str(), numbered(text).c_str(), parameters.count(),
                                parameters.types.data()));
  if (auto ok = check(answer.get()); !ok) return std::unexpected(ok.error());
  names_.emplace(text, name);
  return name;
}

// An answer has to be read to its end, also after a row that nobody can use.
Result<void> Postgres::read_rows(const OnRow& on_row) {
  Result<void> done;
  while (Answer answer{PQgetResult(handle_)}) {
    if (!done) continue;
    done = check(answer.get());
    if (done && on_row && PQntuples(answer.get()) == 1) done = on_row(Row(answer.get()));
  }
  return done;
}

Result<void> Postgres::run(std::string_view text, std::span<const SqlValue> values,
                           const OnRow& on_row) {
  const Parameters parameters(values);
  auto name = prepared(text, parameters);
  if (!name) return std::unexpected(name.error());
  if (PQsendQueryPrepared(handle_, name->c_str(), parameters.count(), parameters.places.data(),
                          parameters.lengths.data(), parameters.formats.data(), 1) != 1)
    return error();
  if (PQsetSingleRowMode(handle_) != 1) return error();
  return read_rows(on_row);
}

Result<std::int64_t> Postgres::insert(std::string_view text, std::span<const SqlValue> values,
                                      std::string_view numbered_column) {
  std::int64_t number = 0;
  const std::string whole = fmt::format("{} RETURNING {}", text, numbered_column);
  auto done = run(whole, values, [&](const SqlRow& row) -> Result<void> {
    number = row.integer(0);
    return {};
  });
  if (!done) return std::unexpected(done.error());
  return number;
}

}  // namespace

Result<std::unique_ptr<SqlConnection>> connect_postgres(const config::DbdConf& conf) {
  const std::string port = conf.storage_port == 0 ? "5432" : std::to_string(conf.storage_port);
  const std::string& user = conf.storage_user.empty() ? conf.slurm_user : conf.storage_user;
  // A socket's directory stands in place of a host.
  const std::string& host = conf.storage_socket.empty() ? conf.storage_host : conf.storage_socket;
  const char* const keys[] = {"host",
                              "port",
                              "user",
                              "password",
                              "dbname",
                              "connect_timeout",
                              "tcp_user_timeout",
                              "options",
                              "application_name",
                              nullptr};
  const char* const values[] = {host.c_str(), port.c_str(), user.c_str(), conf.storage_pass.c_str(),
                                conf.storage_place.c_str(), "5", "60000",
                                // A server that waits for a lock must not hold slurmdbd for ever.
                                "-c statement_timeout=300000", "slurmdbd", nullptr};
  PGconn* handle = PQconnectdbParams(keys, values, 0);
  if (!handle) return fail("PostgreSQL: there is not enough memory");
  auto server = std::make_unique<Postgres>(handle);
  if (PQstatus(handle) != CONNECTION_OK) {
    auto why = server->error();
    const std::string& text = why.error().detail;
    // The server itself says no: only while it starts or ends does that pass.
    const bool is_refused = text.find("FATAL:") != text.npos &&
                            text.find("the database system is") == text.npos &&
                            text.find("too many") == text.npos;
    return is_refused ? fail(text) : why;
  }
  // Notices about tables that are there already are for people at a terminal.
  if (auto ok = server->execute("SET client_min_messages = warning"); !ok)
    return std::unexpected(ok.error());
  return server;
}

}  // namespace muster::dbd
