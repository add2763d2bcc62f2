// The main function of slurmdbd: reads options and slurmdbd.conf, waits for the database, starts
// the Daemon, and ends it.
#include <getopt.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>

#include <fmt/format.h>

#include "base/install_paths.h"
#include "base/text/strings.h"
#include "base/version.h"
#include "io/debug_flags.h"
#include "io/files.h"
#include "io/log.h"
#include "io/loop/signal_watch.h"
#include "io/net/controllers.h"
#include "io/process/daemonize.h"
#include "slurmdbd/daemon.h"
#include "slurmdbd/store/databases.h"
#include "slurmdbd/store/sql_schema.h"

namespace muster::dbd {

namespace {

struct Options {
  bool foreground = false;
  std::string conf;
  int verbose = 0;
};

// As with slurmctld: SLURM_CONF, else the system's directory.
std::string usual_conf() {
  const char* given = std::getenv("SLURM_CONF");
  const std::filesystem::path conf(given && *given ? std::string_view(given) : kSystemConfig);
  return (conf.parent_path() / "slurmdbd.conf").string();
}

void print_help() {
  fmt::print(
      "Usage: slurmdbd [OPTIONS]\n"
      "Keeps the accounts and the accounting of several Muster clusters in a database.\n"
      "  -D         stay in the foreground and log to stderr too\n"
      "  -f FILE    read this slurmdbd.conf (default: {})\n"
      "  -R         accepted; nothing needs to be computed anew\n"
      "  -v         log more; may be repeated\n"
      "  -V         print the version\n"
      "  -h         print this help\n",
      usual_conf());
}

// Unset if the daemon should start, else the exit code.
std::optional<int> parse_options(int argc, char** argv, Options& options) {
  options.conf = usual_conf();
  const option kLong[] = {{"help", no_argument, nullptr, 'h'},
                          {"usage", no_argument, nullptr, 'h'},
                          {"version", no_argument, nullptr, 'V'},
                          {nullptr, 0, nullptr, 0}};
  for (int c; (c = getopt_long(argc, argv, "Df:hn:R::svVu", kLong, nullptr)) != -1;) switch (c) {
      case 'D':
        options.foreground = true;
        break;
      case 'f':
        options.conf = optarg;
        break;
      case 'v':
        ++options.verbose;
        break;
      case 'V':
        std::puts(kVersionLine.data());
        return 0;
      case 'h':
        print_help();
        return 0;
      case '?':
        std::fputs("Try \"slurmdbd -h\" for more information\n", stderr);
        return 1;
      default:
        break;  // -n, -R, -s, -u: nothing to do here
    }
  return std::nullopt;
}

int die(const std::string& text) {
  std::fprintf(stderr, "slurmdbd: fatal: %s\n", text.c_str());
  return 1;
}

Result<Uid> user_id(const std::string& name) {
  if (auto number = parse_number<std::uint32_t>(name)) return Uid{*number};
  const passwd* entry = getpwnam(name.c_str());
  if (!entry) return fail("user " + name + " is not known on this host");
  return Uid{entry->pw_uid};
}

// The file has the database's password.
Result<void> check_secrecy(const std::string& path, Uid slurm_user) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return {};  // reading it says why
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return fail(
        fmt::format("{}: others may read the password in it: run chmod 600 {}", path, path));
  if (status.st_uid != 0 && status.st_uid != slurm_user.value)
    return fail(fmt::format("{}: it belongs neither to root nor to SlurmUser", path));
  return {};
}

Result<config::DbdConf> load(const std::string& path) {
  auto conf = config::load_dbd_conf(io::read_file, path);
  if (!conf) return conf;
  auto uid = user_id(conf->slurm_user);
  if (!uid) return std::unexpected(uid.error());
  if (auto ok = check_secrecy(path, *uid); !ok) return std::unexpected(ok.error());
  return conf;
}

io::LogOptions log_options(const config::DbdConf& conf, const Options& options) {
  io::LogLevel level = io::LogLevel::info;
  io::parse_log_level(conf.debug_level, level);
  level = static_cast<io::LogLevel>(
      std::min(static_cast<int>(level) + options.verbose, static_cast<int>(io::LogLevel::debug5)));
  io::LogOptions log{.program = "slurmdbd",
                     .file = conf.log_file,
                     .file_level = level,
                     .to_stderr = options.foreground,
                     .stderr_level = level,
                     .style = {.time = io::parse_log_time(conf.log_time_format)}};
  log.syslog_level = io::syslog_level(conf.syslog_debug, log);
  return log;
}

std::string short_host_name() {
  char name[256] = {};
  const std::string host = gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
  return host.substr(0, host.find('.'));
}

// A database that is not there yet will come; whatever else is wrong needs somebody to do
// something.
Result<void> wait_for_database(SqlDatabase& database, const std::atomic<bool>& asked_to_end) {
  constexpr std::chrono::seconds kTryAgain{1}, kTellAgain{30};
  std::chrono::steady_clock::time_point told{};
  while (!asked_to_end) {
    auto ready = prepare_tables(database);
    if (ready || ready.error().code != ErrorCode::communication) return ready;
    const auto now = std::chrono::steady_clock::now();
    if (now - told > kTellAgain) {
      io::log_error("waiting for the database: {}", ready.error().detail);
      if (told == std::chrono::steady_clock::time_point{}) io::daemon_ready();
      told = now;
    }
    std::this_thread::sleep_for(kTryAgain);
  }
  return {};
}

// Each kind of work has a connection of its own, except to a file.
struct Connections {
  explicit Connections(const config::DbdConf& conf)
      : is_file(conf.storage == config::StorageType::sqlite),
        first(opener(conf)),
        others{SqlDatabase(opener(conf)), SqlDatabase(opener(conf)), SqlDatabase(opener(conf))} {}
  Databases all() {
    if (is_file) return {first, first, first, first};
    return {first, others[0], others[1], others[2]};
  }
  const bool is_file;
  SqlDatabase first, others[3];
};

io::ServerOptions server_options(const config::DbdConf& conf, Uid slurm_user) {
  return {.bind_address = conf.address,
          .port = conf.port,
          .use_munge = true,
          .munge_decoder_uid = slurm_user,
          .server_name = std::string(io::kDatabaseServerName),
          .idle_timeout = Seconds{300},
          .munge_socket = conf.munge_socket,
          .is_operator = [slurm_user](Uid user) { return user == Uid{0} || user == slurm_user; }};
}

int serve(const Options& options, const config::DbdConf& conf, Uid uid) {
  std::promise<void> ended;
  std::atomic<bool> asked = false;
  auto end = [&] {
    if (!asked.exchange(true)) ended.set_value();
  };
  io::block_signals({SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR2, SIGPIPE});
  Connections connections(conf);
  Daemon daemon({.host_name = short_host_name(),
                 .slurm_user = uid,
                 .load = [path = options.conf] { return load(path); },
                 .stop = end},
                conf, connections.all());
  io::Loop loop;
  std::atomic<bool> serves = false;
  io::SignalWatch watch(loop, {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR2}, [&](int signal) {
    if (signal == SIGHUP || signal == SIGUSR2) {
      io::reopen_log();
      if (signal == SIGHUP && serves) daemon.reconfigure();
      return;
    }
    io::log_info("slurmdbd ends on signal {}", signal);
    end();
  });
  auto fatal = [](const Error& error) { io::daemon_failed(error.text()); };
  if (auto ok = wait_for_database(connections.first, asked); !ok) fatal(ok.error());
  if (!asked) {
    const io::ServerOptions server = server_options(conf, uid);
    if (auto ok = daemon.start(loop, server); !ok) fatal(ok.error());
    serves = true;
    io::log_info("slurmdbd serves port {}", conf.port);
    io::daemon_ready();
  }
  ended.get_future().wait();
  daemon.stop();
  loop.stop();
  return 0;
}

int run(const Options& options) {
  auto conf = load(options.conf);
  if (!conf) return die(conf.error().text());
  auto uid = user_id(conf->slurm_user);
  if (!uid) return die(uid.error().text());
  if (!options.foreground)
    if (auto ok = io::daemonize(); !ok) io::daemon_failed(ok.error().text());
  io::open_log(log_options(*conf, options));
  io::set_debug_flags(conf->debug_flags);
  auto pid_file = io::PidFile::create(conf->pid_file);
  if (!pid_file) io::daemon_failed(pid_file.error().text());
  if (geteuid() == 0 && uid->value != 0)
    if (auto ok = io::drop_privileges(conf->slurm_user); !ok) io::daemon_failed(ok.error().text());
  io::keep_memory_private();
  io::log_info("slurmdbd version {} started", kVersionLine);
  for (const std::string& key : conf->ignored_keys)
    io::log_info("slurmdbd.conf: {} is accepted but has no effect", key);
  const int code = serve(options, *conf, *uid);
  io::log_info("slurmdbd has ended");
  return code;
}

}  // namespace

}  // namespace muster::dbd

int main(int argc, char** argv) {
  muster::dbd::Options options;
  if (auto code = muster::dbd::parse_options(argc, argv, options)) return *code;
  return muster::dbd::run(options);
}
