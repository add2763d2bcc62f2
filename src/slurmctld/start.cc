// Looks at the owners of state files, opens those of accounting, and tries to make a munge
// credential.
#include "slurmctld/start.h"

#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "io/log.h"
#include "io/net/controllers.h"
#include "io/net/munge.h"
#include "io/store/record_queue.h"
#include "io/store/sqlite_accounting.h"

namespace muster::daemon {

namespace {

std::string user_name(uid_t uid) {
  const passwd* entry = getpwuid(uid);
  return entry ? entry->pw_name : std::to_string(uid);
}

io::LogLevel wanted_level(const config::SlurmConf& conf, int verbose) {
  io::LogLevel level = io::LogLevel::info;
  io::parse_log_level(conf.slurmctld_debug, level);
  const int raised = static_cast<int>(level) + verbose;
  return static_cast<io::LogLevel>(std::min(raised, static_cast<int>(io::LogLevel::debug5)));
}

Result<Records> open_remote(const config::SlurmConf& conf, Uid uid) {
  Records records;
  auto queue = io::RecordQueue::open(conf.state_save_location + "/slurmdbd_queue.db");
  if (!queue) return std::unexpected(queue.error());
  auto known = io::SqliteAccounts::open(conf.state_save_location + "/slurmdbd_accounts.db");
  if (!known) return std::unexpected(known.error());
  io::Endpoint endpoint =
      io::database_endpoint({conf.accounting_host, conf.accounting_port, conf.munge_socket}, uid);
  endpoint.role = io::PeerRole::node;  // it reports
  endpoint.client_name = "slurmctld/" + conf.cluster_name;
  records.slurmdbd = DatabaseLink::Parts{std::move(endpoint), std::move(*known), queue->get()};
  records.accounting = std::move(*queue);
  return records;
}

}  // namespace

Result<Records> open_records(const config::SlurmConf& conf, bool no_accounting, Uid uid) {
  Records records;
  if (no_accounting) return records;
  if (conf.wants_slurmdbd) return open_remote(conf, uid);
  auto accounting = io::SqliteAccounting::open(conf.state_save_location + "/accounting.db");
  if (!accounting) return std::unexpected(accounting.error());
  auto accounts = io::SqliteAccounts::open(conf.state_save_location + "/accounts.db");
  if (!accounts) return std::unexpected(accounts.error());
  records.accounting = std::move(*accounting);
  records.accounts = std::move(*accounts);
  return records;
}

io::LogOptions log_options(const config::SlurmConf& conf, bool foreground, int verbose) {
  io::LogOptions options{
      .program = "slurmctld",
      .file = conf.slurmctld_log_file,
      .file_level = wanted_level(conf, verbose),
      .to_stderr = foreground,
      .stderr_level = wanted_level(conf, verbose),
      .style = {.time = io::parse_log_time(conf.log_time_format), .json = conf.log_json}};
  options.syslog_level = io::syslog_level(conf.syslog_debug, options);
  return options;
}

Result<void> check_state_owner(const config::SlurmConf& conf, Uid user) {
  if (user.value == 0) return {};  // root writes them all
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(conf.state_save_location, error)) {
    struct stat status{};
    if (lstat(entry.path().c_str(), &status) != 0 || status.st_uid == user.value) continue;
    return fail(
        fmt::format("StateSaveLocation: {} belongs to {}, but slurmctld runs as {}: as root, run "
                    "chown -R {} {}",
                    entry.path().string(), user_name(status.st_uid), user_name(user.value),
                    user_name(user.value), conf.state_save_location));
  }
  return {};
}

void warn_without_munge(const config::SlurmConf& conf, Uid user) {
  if (!conf.use_munge) return;
  auto credential = io::encode_credential("", user, conf.munge_socket);
  if (!credential)
    io::log_error("{}; until munged runs, only callers on this machine can connect",
                  credential.error().text());
}

}  // namespace muster::daemon
