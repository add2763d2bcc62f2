// Reads slurmdbd.conf.
#include "config/files/slurmdbd_conf.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "config/keys/keys.h"

namespace muster::config {

namespace {

struct TextKey {
  std::string_view name;
  std::string DbdConf::* member;
};
constexpr TextKey kTexts[] = {
    {"DbdHost", &DbdConf::host},
    {"DbdAddr", &DbdConf::address},
    {"SlurmUser", &DbdConf::slurm_user},
    {"LogFile", &DbdConf::log_file},
    {"PidFile", &DbdConf::pid_file},
    {"LogTimeFormat", &DbdConf::log_time_format},
    {"DebugFlags", &DbdConf::debug_flags},
    {"StorageHost", &DbdConf::storage_host},
    {"StorageUser", &DbdConf::storage_user},
    {"StoragePass", &DbdConf::storage_pass},
    {"StorageLoc", &DbdConf::storage_place},
    {"ArchiveDir", &DbdConf::archive_dir},
};

struct PortKey {
  std::string_view name;
  std::uint16_t DbdConf::* member;
};
constexpr PortKey kPorts[] = {{"DbdPort", &DbdConf::port}, {"StoragePort", &DbdConf::storage_port}};

struct LevelKey {
  std::string_view name;
  std::string DbdConf::* member;
};
constexpr LevelKey kLevels[] = {{"DebugLevel", &DbdConf::debug_level},
                                {"DebugLevelSyslog", &DbdConf::syslog_debug}};

struct RetentionKey {
  std::string_view purge, archive;
  Retention DbdConf::* member;
};
constexpr RetentionKey kRetentions[] = {
    {"PurgeJobAfter", "ArchiveJobs", &DbdConf::jobs},
    {"PurgeStepAfter", "ArchiveSteps", &DbdConf::steps},
    {"PurgeTXNAfter", "ArchiveTXN", &DbdConf::transactions},
};

struct PrivateWord {
  std::string_view name;
  bool PrivateData::* member;
};
constexpr PrivateWord kPrivateWords[] = {{"accounts", &PrivateData::accounts},
                                         {"jobs", &PrivateData::jobs},
                                         {"usage", &PrivateData::usage},
                                         {"users", &PrivateData::users}};
// These hide what slurmdbd does not tell anybody.
constexpr std::string_view kHidesNothing[] = {"events", "reservations", "none"};

// What is purged or archived by these is not kept here; the others have no meaning here.
constexpr std::string_view kNoEffect[] = {
    "AllowNoDefAcct",    "ArchiveEvents",      "ArchiveResvs",
    "ArchiveScript",     "ArchiveSuspend",     "ArchiveUsage",
    "AuthAltTypes",      "AuthAltParameters",  "CommitDelay",
    "DbdBackupHost",     "DefaultQOS",         "CommunicationParameters",
    "MaxQueryTimeRange", "Parameters",         "PluginDir",
    "PurgeEventAfter",   "PurgeResvAfter",     "PurgeSuspendAfter",
    "PurgeUsageAfter",   "StorageBackupHost",  "StoragePassScript",
    "TCPTimeout",        "TrackSlurmctldDown", "TrackWCKey",
    "DisableCoordDBD",   "HashPlugin",         "TLSType",
    "TLSParameters",
};

template <class Rows>
auto* find_row(const Rows& rows, std::string_view name) {
  auto at = std::ranges::find_if(rows, [&](const auto& row) { return iequals(row.name, name); });
  return at == std::end(rows) ? nullptr : &*at;
}

Result<void> read_storage_type(const Location& at, const Setting& setting, DbdConf& conf) {
  constexpr std::pair<std::string_view, StorageType> kTypes[] = {
      {"accounting_storage/mysql", StorageType::mariadb},
      {"accounting_storage/postgresql", StorageType::postgresql},
      {"accounting_storage/sqlite", StorageType::sqlite}};
  for (const auto& [name, type] : kTypes)
    if (iequals(setting.value, name)) {
      conf.storage = type;
      return {};
    }
  return bad_value(at, setting,
                   "accounting_storage/mysql, accounting_storage/postgresql or "
                   "accounting_storage/sqlite");
}

Result<void> read_private_data(const Location& at, const Setting& setting, DbdConf& conf) {
  for (std::string_view word : split(setting.value, ',')) {
    word = trim(word);
    if (auto* known = find_row(kPrivateWords, word))
      conf.private_data.*known->member = true;
    else if (std::ranges::none_of(kHidesNothing, [&](auto other) { return iequals(other, word); }))
      return bad_value(at, setting, "some of accounts, events, jobs, reservations, usage, users");
  }
  return {};
}

// One word of the list has an effect.
Result<void> read_socket(const Setting& setting, std::string& socket) {
  if (auto given = word_of(setting.value, "socket")) socket = *given;
  return {};
}

Result<void> read_auth_type(const Location& at, const Setting& setting) {
  if (iequals(setting.value, "auth/munge")) return {};
  return bad_value(at, setting, "auth/munge");
}

Result<void> read_retention(const Location& at, const Setting& setting, DbdConf& conf) {
  for (const RetentionKey& key : kRetentions) {
    if (iequals(setting.key, key.purge)) {
      const auto keep = parse_retention(setting.value);
      if (!keep) return bad_value(at, setting, "a number of months, \"30days\" or \"6hours\"");
      (conf.*key.member).keep = *keep;
      return {};
    }
    if (!iequals(setting.key, key.archive)) continue;
    const auto archive = parse_yes_no(setting.value);
    if (!archive) return bad_value(at, setting, "yes or no");
    (conf.*key.member).archive = *archive;
    return {};
  }
  for (std::string_view key : kNoEffect) {
    if (!iequals(setting.key, key)) continue;
    if (std::ranges::find(conf.ignored_keys, key) == conf.ignored_keys.end())
      conf.ignored_keys.emplace_back(key);
    return {};
  }
  return invalid(at, fmt::format("{}: not a key of slurmdbd.conf", setting.key));
}

Result<void> read_special(const Location& at, const Setting& setting, DbdConf& conf) {
  auto is = [&](std::string_view key) { return iequals(setting.key, key); };
  if (is("StorageType")) return read_storage_type(at, setting, conf);
  if (is("PrivateData")) return read_private_data(at, setting, conf);
  if (is("AuthType")) return read_auth_type(at, setting);
  if (is("AuthInfo")) return read_socket(setting, conf.munge_socket);
  if (is("StorageParameters")) return read_socket(setting, conf.storage_socket);
  if (is("MessageTimeout")) {
    const auto seconds = parse_number<std::uint32_t>(setting.value);
    if (!seconds || *seconds == 0) return bad_value(at, setting, "a number of seconds");
    conf.message_timeout = Seconds{*seconds};
    return {};
  }
  return read_retention(at, setting, conf);
}

Result<void> read_setting(const Location& at, const Setting& setting, DbdConf& conf) {
  if (auto* key = find_row(kTexts, setting.key)) {
    conf.*key->member = setting.value;
    return {};
  }
  if (auto* key = find_row(kPorts, setting.key)) {
    const auto port = parse_number<std::uint16_t>(setting.value);
    if (!port) return bad_value(at, setting, "a port");
    conf.*key->member = *port;
    return {};
  }
  if (auto* key = find_row(kLevels, setting.key)) {
    const auto level = parse_debug_level(setting.value);
    if (!level)
      return bad_value(at, setting, "quiet, fatal, error, info, verbose, debug ... debug5");
    conf.*key->member = *level;
    return {};
  }
  return read_special(at, setting, conf);
}

Result<void> check(const DbdConf& conf) {
  auto wrong = [&](std::string_view what) { return fail(fmt::format("{}: {}", conf.path, what)); };
  if (conf.port == 0) return wrong("DbdPort=0: slurmdbd needs a port of its own");
  if (conf.storage_place.empty()) return wrong("StorageLoc is empty");
  if (conf.storage == StorageType::sqlite && !conf.storage_place.starts_with('/'))
    return wrong("StorageLoc: with accounting_storage/sqlite, the path of a file");
  if (conf.archive_dir.empty()) return wrong("ArchiveDir is empty");
  return {};
}

}  // namespace

std::optional<Seconds> parse_retention(std::string_view text) {
  const auto digits = std::ranges::find_if_not(
      text, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  const auto length = static_cast<std::size_t>(digits - text.begin());
  const auto count = parse_number<std::uint32_t>(text.substr(0, length));
  if (!count || *count > 100'000) return std::nullopt;
  constexpr std::int64_t kHour = 3600, kDay = 24 * kHour;
  const std::string unit = lower(text.substr(length));
  if (unit.empty() || unit == "month" || unit == "months") return Seconds{*count * 30 * kDay};
  if (unit == "day" || unit == "days") return Seconds{*count * kDay};
  if (unit == "hour" || unit == "hours") return Seconds{*count * kHour};
  return std::nullopt;
}

Result<DbdConf> load_dbd_conf(const FileReader& read, const std::string& path) {
  auto lines = read_lines(read, path);
  if (!lines) return std::unexpected(lines.error());
  DbdConf conf;
  conf.path = path;
  for (const Line& line : *lines)
    for (const Setting& setting : line.settings)
      if (auto done = read_setting(line.at, setting, conf); !done)
        return std::unexpected(done.error());
  if (auto ok = check(conf); !ok) return std::unexpected(ok.error());
  return conf;
}

}  // namespace muster::config
