// The directory of the embedded cluster, and what is in it.
#include "cli/muster/embedded.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text/strings.h"
#include "cli/lib/paths.h"
#include "cli/muster/machine.h"
#include "config/slurm_conf.h"
#include "io/files.h"
#include "io/stepd/step_file.h"

namespace muster::cli {

namespace {

Result<void> make_private(const std::string& path) {
  if (auto made = io::make_directories(path, 0700); !made) return made;
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0)
    return fail(fmt::format("{}: {}", path, std::strerror(errno)));
  if (status.st_uid != ::geteuid())
    return fail(fmt::format(
        "{} belongs to user {}, not to {}: set XDG_STATE_HOME to a directory of your own", path,
        status.st_uid, ::geteuid()));
  if ((status.st_mode & 077) != 0 && ::chmod(path.c_str(), 0700) != 0)
    return fail(fmt::format("{}: {}", path, std::strerror(errno)));
  return {};
}

}  // namespace

Embedded::Embedded() : base_(embedded_directory()) {}

Result<void> Embedded::make_directories() const {
  if (auto made = make_private(base_); !made) return made;
  for (const char* name : {"/etc", "/run", "/state", "/spool", "/log"})
    if (auto made = make_private(base_ + name); !made) return made;
  return {};
}

Result<void> Embedded::lock() const {
  const std::string path = base_ + "/lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return fail(fmt::format("{}: {}", path, std::strerror(errno)));
  while (::flock(fd, LOCK_EX) != 0)
    if (errno != EINTR) return fail(fmt::format("{}: {}", path, std::strerror(errno)));
  return {};
}

std::optional<UpOptions> Embedded::recorded_options() const {
  auto text = io::read_file(conf_file());
  return text ? cli::recorded_options(*text) : std::nullopt;
}

std::vector<std::string> Embedded::configured_node_names() const {
  std::vector<std::string> names;
  if (!io::exists(conf_file())) return names;
  auto conf = config::load_slurm_conf(io::read_file, conf_file());
  if (!conf) return names;  // `up` writes a new one
  for (const config::ConfiguredNode& entry : conf->nodes) names.push_back(entry.node.name.str());
  return names;
}

std::vector<Daemon> Embedded::daemons() const {
  std::vector<Daemon> all{controller_daemon(run_directory())};
  for (const std::string& node : configured_node_names())
    all.push_back(node_daemon(run_directory(), node));
  return all;
}

bool Embedded::anything_runs() const {
  return std::ranges::any_of(list_daemons(run_directory()),
                             [](const Daemon& d) { return find_process(d).has_value(); });
}

bool Embedded::everything_runs() const {
  return recorded_options() && std::ranges::all_of(daemons(), [](const Daemon& d) {
           return find_process(d).has_value();
         });
}

bool Embedded::has_crashed() const { return !list_daemons(run_directory()).empty(); }

bool Embedded::has_live_steps() const {
  for (const std::string& node : configured_node_names()) {
    const std::string steps = fmt::format("{}/spool/{}/steps", base_, node);
    for (const wire::StepRef& step : io::list_step_files(steps))
      if (io::is_step_alive(steps + "/" + io::step_file_name(step))) return true;
  }
  return false;
}

Result<Controller> Embedded::connect() const {
  auto config = embedded_cluster();
  if (!config) return std::unexpected(config.error());
  return Controller::connect(std::move(*config));
}

Result<void> open_partitions(const Embedded& cluster, Controller& controller, bool open) {
  auto conf = config::load_slurm_conf(io::read_file, cluster.conf_file());
  if (!conf) return std::unexpected(conf.error());
  for (const config::ConfiguredPartition& entry : conf->partitions) {
    if (entry.partition.state != PartitionState::up) continue;
    wire::UpdateRequest request;
    request.kind = wire::UpdateRequest::Kind::partition;
    request.settings = {{"PartitionName", entry.partition.name.str()},
                        {"State", open ? "UP" : "DOWN"}};
    auto reply = controller.ask_for<wire::Done>(request);
    if (!reply) return std::unexpected(reply.error());
  }
  return {};
}

Result<JobCounts> count_jobs(Controller& controller) {
  JobCounts counts;
  wire::JobsRequest request;
  request.filter.all_states = true;
  auto streamed = controller.stream(request, [&](wire::Answer&& answer) {
    auto* reply = std::get_if<wire::JobsReply>(&answer);
    if (!reply) return;
    for (const wire::JobView& view : reply->jobs) {
      const Job& job = *view.job;
      if (job.completing())
        ++counts.completing;
      else if (is_active(job.state))
        ++counts.active;
      if (job.state == JobState::pending)
        counts.pending += std::max<std::size_t>(job.waiting_tasks.size(), 1);
    }
  });
  if (!streamed) return std::unexpected(streamed.error());
  return counts;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string how_to_find(const Embedded& cluster) {
  const auto other = other_configuration();
  if (!other || *other == cluster.conf_file()) return {};
  return fmt::format("Commands use {} here. To use this cluster instead:\n  export SLURM_CONF={}\n",
                     *other, shell_quoted(cluster.conf_file()));
}

}  // namespace muster::cli
