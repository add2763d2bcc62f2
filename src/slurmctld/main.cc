// The main function of slurmctld: reads options and the configuration, starts the Service, and ends
// the daemon.
#include <fcntl.h>
#include <fmt/format.h>
#include <getopt.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <future>
#include <string>

#include "base/install_paths.h"
#include "base/text/strings.h"
#include "base/version.h"
#include "config/cluster_config.h"
#include "config/files/gres_conf.h"
#include "config/files/topology_conf.h"
#include "config/slurm_conf.h"
#include "config/slurm_conf_checks.h"
#include "io/debug_flags.h"
#include "io/files.h"
#include "io/log.h"
#include "io/loop/signal_watch.h"
#include "io/net/handshake.h"
#include "io/process/daemonize.h"
#include "io/store/sqlite_store.h"
#include "slurmctld/secret.h"
#include "slurmctld/service.h"
#include "slurmctld/start.h"

namespace muster::daemon {

namespace {

struct Options {
  bool foreground = false, clear_state = false;
  std::string conf{kSystemConfig};
  std::string log_file;  // instead of SlurmctldLogFile
  int verbose = 0;
};

void print_help() {
  fmt::print(
      "Usage: slurmctld [OPTIONS]\n"
      "The controller of a Muster cluster: keeps the queue and starts jobs on the nodes.\n"
      "  -c         forget all jobs and states of an earlier run\n"
      "  -D         stay in the foreground and log to stderr too\n"
      "  -f FILE    read this slurm.conf (default: $SLURM_CONF, {})\n"
      "  -L FILE    log to this file, not to SlurmctldLogFile\n"
      "  -i         accepted; an unreadable state always stops the daemon\n"
      "  -v         log more; may be repeated\n"
      "  -V         print the version\n"
      "  -h         print this help\n",
      kSystemConfig);
}

// Unset if the daemon should start, else the exit code.
std::optional<int> parse_options(int argc, char** argv, Options& options) {
  if (const char* conf = std::getenv("SLURM_CONF")) options.conf = conf;
  const option kLong[] = {{"help", no_argument, nullptr, 'h'},
                          {"usage", no_argument, nullptr, 'h'},
                          {"version", no_argument, nullptr, 'V'},
                          {nullptr, 0, nullptr, 0}};
  for (int c; (c = getopt_long(argc, argv, "cDf:ihvVn:sRrL:", kLong, nullptr)) != -1;) switch (c) {
      case 'c':
        options.clear_state = true;
        break;
      case 'D':
        options.foreground = true;
        break;
      case 'f':
        options.conf = optarg;
        break;
      case 'L':
        options.log_file = optarg;
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
        std::fputs("Try \"slurmctld -h\" for more information\n", stderr);
        return 1;
      default:
        break;  // -i, -n, -s, -R, -r: nothing to do here
    }
  return std::nullopt;
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

Result<Configuration> load_configuration(const std::string& path) {
  config::FileReader reader = [](const std::string& file) { return io::read_file(file); };
  auto conf = config::load_slurm_conf(reader, path);
  if (!conf) return std::unexpected(conf.error());
  if (auto ok = config::check_controller(*conf, host_name()); !ok)
    return std::unexpected(ok.error());
  config::GresConf gres;
  std::string gres_path = (std::filesystem::path(path).parent_path() / "gres.conf").string();
  if (io::exists(gres_path)) {
    auto loaded = config::load_gres_conf(reader, gres_path);
    if (!loaded) return std::unexpected(loaded.error());
    gres = std::move(*loaded);
  }
  std::vector<Switch> topology;
  if (conf->has_topology) {
    auto file = std::filesystem::path(path).parent_path() / "topology.conf";
    auto loaded = config::load_topology_conf(reader, file.string());
    if (!loaded) return std::unexpected(loaded.error());
    topology = std::move(*loaded);
  }
  auto cluster = config::cluster_config(*conf, gres, std::move(topology));
  if (!cluster) return std::unexpected(cluster.error());
  return Configuration{std::move(*conf), std::move(*cluster)};
}

Result<Uid> user_id(const std::string& name) {
  if (auto number = parse_number<std::uint32_t>(name)) return Uid{*number};
  const passwd* entry = getpwnam(name.c_str());
  if (!entry) return fail("user " + name + " is not known on this host");
  return Uid{entry->pw_uid};
}

// Root opens a file in a directory that SlurmUser can write, so it must not follow a link there.
void give_log_file(const std::string& path, Uid uid, gid_t gid) {
  const int flags = O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  const int fd = open(path.c_str(), flags, 0640);
  if (fd < 0) return;
  struct stat status{};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1 ||
      fchown(fd, uid.value, gid) != 0)
    io::log_error("the log file keeps its owner");
  close(fd);
}

// A file, other than the journal, that shows that this cluster had jobs. If only the journal were
// missing, the controller would start empty, and use the jobs' ids and nodes again.
std::string traces_of_state(const config::SlurmConf& conf, AccountingStore* accounting) {
  const std::string& dir = conf.state_save_location;
  if (accounting && accounting->last() > 0)
    return dir + (conf.wants_slurmdbd ? "/slurmdbd_queue.db" : "/accounting.db");
  return io::exists(secret_path(dir)) ? secret_path(dir) : std::string();
}

// Makes the directories, then drops privileges to SlurmUser.
Result<void> become_slurm_user(const config::SlurmConf& conf, Uid uid) {
  auto made = io::make_directories(conf.state_save_location, 0700);
  if (!made) return made;
  if (auto ok = check_state_owner(conf, uid); !ok) return ok;
  if (geteuid() != 0 || uid.value == 0) return {};
  const passwd* entry = getpwuid(uid.value);
  if (chown(conf.state_save_location.c_str(), uid.value, entry ? entry->pw_gid : 0) != 0)
    return fail("StateSaveLocation " + conf.state_save_location + " cannot be given to SlurmUser");
  if (!conf.slurmctld_log_file.empty())
    give_log_file(conf.slurmctld_log_file, uid, entry ? entry->pw_gid : 0);
  return io::drop_privileges(conf.slurm_user);
}

std::string short_host_name() {
  const std::string host = host_name();
  return host.substr(0, host.find('.'));
}

int run(const Options& options) {
  auto configuration = load_configuration(options.conf);
  if (!configuration) {
    std::fprintf(stderr, "slurmctld: fatal: %s\n", configuration.error().text().c_str());
    return 1;
  }
  if (!options.log_file.empty()) configuration->conf.slurmctld_log_file = options.log_file;
  const config::SlurmConf conf = configuration->conf;
  auto uid = user_id(conf.slurm_user);
  if (!uid) {
    std::fprintf(stderr, "slurmctld: fatal: %s\n", uid.error().text().c_str());
    return 1;
  }
  std::optional<Uid> slurmd_user;
  if (conf.use_munge) {
    auto found = user_id(conf.slurmd_user);
    if (!found) {
      std::fprintf(stderr, "slurmctld: fatal: %s\n", found.error().text().c_str());
      return 1;
    }
    slurmd_user = *found;
  }
  if (!conf.use_munge && geteuid() != 0) uid = Uid{geteuid()};
  if (!options.foreground)
    if (auto ok = io::daemonize(); !ok) io::daemon_failed(ok.error().text());
  auto fatal = [](const Error& error) { io::daemon_failed(error.text()); };
  io::open_log(log_options(conf, options.foreground, options.verbose));
  io::set_debug_flags(conf.debug_flags);
  auto pid_file = io::PidFile::create(conf.slurmctld_pid_file);
  if (!pid_file) fatal(pid_file.error());
  if (auto ok = become_slurm_user(conf, *uid); !ok) fatal(ok.error());
  io::keep_memory_private();
  io::log_info("slurmctld version {} started on cluster {}", kVersionLine, conf.cluster_name);
  for (const std::string& warning : conf.warnings) io::log_info("{}", warning);
  for (const std::string& key : conf.ignored_keys)
    io::log_info("slurm.conf: {} is accepted but has no effect yet", key);
  warn_without_munge(conf, *uid);
  const bool no_accounting = !configuration->cluster.settings.accounting;

  if (options.clear_state) {
    auto erased = io::SqliteStore::erase(conf.state_save_location);
    if (erased) erased = forget_secret(conf.state_save_location);
    if (!erased) fatal(erased.error());
  }
  auto records = open_records(conf, no_accounting, *uid);
  if (!records) fatal(records.error());
  io::SqliteStoreOptions store_options;
  if (!options.clear_state)
    store_options.found_beside = traces_of_state(conf, records->accounting.get());
  auto store = io::SqliteStore::open(conf.state_save_location, store_options);
  if (!store) fatal(store.error());
  auto secret = load_secret(conf.state_save_location);
  if (!secret) fatal(secret.error());

  std::promise<void> ended;
  std::atomic<bool> asked = false;
  auto end = [&] {
    if (!asked.exchange(true)) ended.set_value();
  };
  io::block_signals({SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR2, SIGPIPE});
  Service service({.host_name = short_host_name(),
                   .slurm_user = *uid,
                   .slurmd_user = slurmd_user,
                   .munge_socket = conf.munge_socket,
                   .foreground = options.foreground,
                   .load =
                       [path = options.conf, no_accounting] {
                         auto fresh = load_configuration(path);
                         if (fresh) fresh->cluster.settings.accounting = !no_accounting;
                         return fresh;
                       },
                   .stop = end,
                   .slurmdbd = std::move(records->slurmdbd)},
                  std::move(*configuration), std::move(*store), std::move(records->accounting),
                  std::move(records->accounts), std::move(*secret));
  {
    io::Loop loop([&] { service.advance(); });
    io::ServerOptions server{
        .unix_path =
            (std::filesystem::path(conf.slurmctld_pid_file).parent_path() / "slurmctld.sock")
                .string(),
        .port = conf.use_munge ? conf.slurmctld_port : std::uint16_t{0},
        .use_munge = conf.use_munge,
        .munge_decoder_uid = *uid,
        .server_name = io::controller_server_name(conf.cluster_name),
        .idle_timeout = Seconds{300},
        .munge_socket = conf.munge_socket,
        .is_operator = [slurm_user =
                            *uid](Uid user) { return user == Uid{0} || user == slurm_user; },
        .max_user_connections = conf.words.max_user_connections};
    io::SignalWatch watch(loop, {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR2}, [&](int signal) {
      if (signal == SIGHUP) {
        io::reopen_log();
        service.reconfigure();
      } else if (signal == SIGUSR2) {
        io::reopen_log();
      } else {
        io::log_info("slurmctld ends on signal {}", signal);
        end();
      }
    });
    if (auto ok = service.start(loop, server); !ok) fatal(ok.error());
    io::daemon_ready();
    ended.get_future().wait();
    service.stop();
    loop.stop();
  }
  io::log_info("slurmctld has ended");
  return 0;
}

}  // namespace

}  // namespace muster::daemon

int main(int argc, char** argv) {
  muster::daemon::Options options;
  if (auto code = muster::daemon::parse_options(argc, argv, options)) return *code;
  return muster::daemon::run(options);
}
