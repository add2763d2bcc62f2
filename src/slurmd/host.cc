// The life of slurmd: start, the connection to slurmctld, what is due after each round, the end.
#include "slurmd/host.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <utility>

#include "base/codec/codec.h"
#include "base/text/strings.h"
#include "base/version.h"
#include "io/files.h"
#include "io/log.h"
#include "io/net/handshake.h"
#include "io/wall_clock.h"

namespace muster {
namespace {

constexpr Millis kRetrySteps{50};

Epoch read_epoch(const std::string& path) {
  auto text = io::read_file(path);
  if (!text) return Epoch{};
  return Epoch{parse_number<std::uint64_t>(trim(*text)).value_or(0)};
}

}  // namespace

Slurmd::Slurmd(Start start, std::function<void()> on_stopped)
    : start_(std::move(start)),
      started_(io::wall_clock()),
      on_stopped_(std::move(on_stopped)),
      loop_([this] { after_round(); }),
      steps_(loop_, start_.config.spool_dir, start_.stepd_path, start_.config.message_timeout,
             [this](wire::StepEnd end) {
               gpus_.finish(end.ref, end.usage);
               if (end.unkillable) programs_.tell_of_unkillable(end.ref);
               agent_->on_step_ended(std::move(end), io::steady_time());
             }),
      programs_(loop_, start_.config, [this](NodeProgram program, AttemptRef attempt, bool ok) {
        agent_->on_program_ended(program, attempt, ok, io::steady_time());
      }) {}

// After the loop's thread has ended, nothing else uses these members.
Slurmd::~Slurmd() {
  programs_.forget();
  loop_.stop();
  loop_.join();
  dialer_.reset();
  server_.reset();
  loop_.stop_blocking();
}

Result<void> Slurmd::begin(const std::function<void()>& on_ready) {
  std::promise<Result<void>> begun;
  loop_.post([&] {
    Result<void> done = set_up();
    if (done) on_ready();
    begun.set_value(std::move(done));
  });
  return begun.get_future().get();
}

Result<void> Slurmd::set_up() {
  const std::string& spool = start_.config.spool_dir;
  if (auto made = io::make_directories(spool, 0755); !made) return made;
  if (auto made = io::make_directories(spool + "/steps", 0700); !made) return made;
  if (auto made = io::make_directories(prepared_dir(), 0700); !made) return made;

  gpus_.open(start_.config.auto_detect);
  if (auto confined = set_up_confinement(); !confined) return confined;
  if (auto set_up = set_up_private_directories(); !set_up) return set_up;

  NodeAgentOptions options;
  options.name = start_.config.node_name;
  options.epoch = read_epoch(epoch_path());
  options.heartbeat_every = start_.config.heartbeat_every;
  if (geteuid() != 0) options.only_user = Uid{geteuid()};
  if (start_.config.node.dynamic) options.dynamic = start_.config.node;
  options.programs = node_programs(start_.config);
  agent_ = std::make_unique<NodeAgent>(*this, std::move(options));
  find_earlier_steps();

  if (auto listening = listen_to_jobs(); !listening) return listening;
  if (auto listening = listen(); !listening) return listening;
  // If the check drains the node, that must happen before the node can get a job.
  programs_.check_health([this] {
    if (!stopped_) dial();
  });
  return {};
}

void Slurmd::find_earlier_steps() {
  SlurmdSteps::Found found = steps_.recover(started_, start_.hardware.boot_id);
  for (const wire::StepRef& step : found.running) agent_->on_found_running(step);
  for (wire::StepEnd& end : found.ended) agent_->on_found_ended(std::move(end));
  if (!found.running.empty() || !found.ended.empty())
    io::log_info("found {} running and {} ended steps of an earlier start", found.running.size(),
                 found.ended.size());
  for (const AttemptRef& attempt : list_prepared(prepared_dir()))
    agent_->on_found_prepared(attempt);
  steps_.retry_connections();
}

Result<void> Slurmd::listen() {
  io::ServerOptions options;
  options.unix_path = start_.config.unix_path;
  options.port = start_.config.use_munge ? start_.config.port : std::uint16_t{0};
  options.use_munge = start_.config.use_munge;
  options.munge_socket = start_.config.munge_socket;
  options.munge_decoder_uid = Uid{geteuid()};
  options.max_frame_bytes = kMostCallBytes;
  options.server_name = io::node_server_name(start_.config.node_name);
  options.idle_timeout = Seconds{60};  // a caller sends its request at once
  options.is_operator = [own = Uid{geteuid()}](Uid user) { return user == Uid{0} || user == own; };
  auto server = io::Server::listen(
      loop_, std::move(options),
      {.on_open = [](io::ConnectionId, const io::Peer&) {},
       .on_frame = [this](io::ConnectionId id, std::string frame) { on_client_frame(id, frame); },
       .on_close = [](io::ConnectionId) {}});
  if (!server) return std::unexpected(server.error());
  server_ = std::move(*server);
  return {};
}

void Slurmd::dial() {
  std::vector<io::Endpoint> controllers = start_.config.controllers;
  for (io::Endpoint& controller : controllers) controller.role = io::PeerRole::node;
  dialer_ = io::Dialer::start(
      loop_, std::move(controllers),
      {.on_connected =
           [this] {
             io::log_info("connected to slurmctld");
             controller_lost_ = false;
             agent_->on_connected(io::steady_time());
           },
       .on_frame = [this](const std::string& frame) { on_controller_frame(frame); },
       // If connecting failed, this runs on a thread of the pool.
       .on_lost =
           [this](const Error& why) {
             loop_.post([this, text = why.text()] {
               if (!std::exchange(controller_lost_, true))
                 io::log_error("no connection to slurmctld: {}", text);
               agent_->on_disconnected();
             });
           }});
}

void Slurmd::on_controller_frame(const std::string& frame) {
  if (stopped_) return;
  auto batch = decode<wire::OrderBatch>(frame);
  if (!batch) return io::log_error("slurmctld sent orders that cannot be read");
  agent_->on_orders(*batch, io::steady_time());
}

void Slurmd::after_round() {
  if (!agent_ || is_over_) return;
  const Time now = io::steady_time();
  if (steps_.wants_retry() && now >= next_retry_) {
    steps_.retry_connections();
    next_retry_ = now + kRetrySteps;
  }
  if (gpus_.watches()) sample_gpus(now);
  agent_->on_tick(now);
  agent_->flush();
  if (agent_->may_leave_with_host(now)) stop();
  if (stopped_) {
    is_over_ = true;
    return on_stopped_();
  }
  steps_.prepare_nursery(now);
  loop_.wake_within(time_to_rest(now));
}

Millis Slurmd::time_to_rest(Time now) const {
  Time until = std::min(agent_->next_due(), now + Minutes{1});
  if (steps_.wants_retry()) until = std::min(until, next_retry_);
  if (gpus_.watches()) until = std::min(until, next_gpu_sample_);
  until = std::min(until, steps_.nursery_due());
  return std::max(Millis{0}, until - now);
}

void Slurmd::sample_gpus(Time now) {
  if (now < next_gpu_sample_) return;
  gpus_.sample();
  next_gpu_sample_ = now + std::max(start_.config.sample_every, Seconds{1});
}

void Slurmd::stop() {
  if (std::exchange(stopped_, true)) return;
  agent_->on_leaving();
  server_->stop_listening();
}

void Slurmd::leave_with_host() { agent_->on_host_leaving(io::steady_time()); }

void Slurmd::reconfigure() {
  auto config = read_slurmd_config(start_.config_path, start_.identity, start_.hardware);
  if (!config) {
    io::log_error("the configuration is not read again: {}", config.error().text());
    return;
  }
  // Keep what other processes already rely on until the next start.
  config->spool_dir = start_.config.spool_dir;
  config->pid_file = start_.config.pid_file;
  config->log_file = start_.config.log_file;
  config->unix_path = start_.config.unix_path;
  config->port = start_.config.port;
  config->wants_private_directories = start_.config.wants_private_directories;
  config->private_directories = start_.config.private_directories;
  start_.config = std::move(*config);
  io::adjust_log(slurmd_log(start_.config, start_.foreground, 0));
  agent_->set_heartbeat(start_.config.heartbeat_every);
  agent_->set_programs(node_programs(start_.config));
  io::log_info("configuration read again");
}

NodeFacts Slurmd::facts() {
  const io::Hardware& hardware = start_.hardware;
  const NodeConfig& node = start_.config.node;
  const bool configured = start_.config.config_overrides;
  NodeFacts facts;
  facts.boot_id = hardware.boot_id;
  facts.arch = hardware.arch;
  facts.os = hardware.os;
  facts.version = kSlurmVersion;
  facts.cpus = configured ? node.cpus : hardware.cpus;
  facts.sockets = configured ? node.sockets : hardware.sockets;
  facts.cores = configured ? node.cores_per_socket : hardware.cores_per_socket;
  facts.threads = configured ? node.threads_per_core : hardware.threads_per_core;
  facts.memory_mib = configured ? node.memory_mib : hardware.memory_mib;
  facts.tmp_disk_mib = configured ? node.tmp_disk_mib : io::disk_mib(start_.config.tmp_dir);
  facts.boot_time = hardware.boot_time;
  facts.slurmd_started = started_;
  facts.gres = gpus_.detected();
  for (const Text& file : start_.config.devices)
    if (!configured && !io::exists(file.str())) facts.missing_devices.push_back(file);
  return facts;
}

NodeVitals Slurmd::vitals() {
  io::Load load = io::read_load();
  return {load.cpu_load, load.free_memory_mib};
}

Result<void> Slurmd::spawn(const wire::StepLaunch& launch) {
  const SlurmdConfig& config = start_.config;
  const UserInfo& user = users_.find(launch.uid, launch.gid, io::steady_time());
  const bool is_root = geteuid() == 0;
  if (is_root && user.name.empty())
    return fail("user " + std::to_string(launch.uid.value) + " is not known on this node");
  StepSetup setup;
  setup.launch = launch;
  if (setup.launch.user_name.empty()) setup.launch.user_name = user.name;
  setup.node_name = config.node_name;
  setup.host_name = start_.hardware.host_name;
  setup.program = start_.named ? "slurmstepd-" + config.node_name : "slurmstepd";
  setup.config_file = config.config_file;
  setup.home = user.home;
  setup.shell = user.shell;
  setup.groups = user.groups;
  setup.change_user = is_root;
  setup.sample_every = config.sample_every;
  setup.kill_wait = config.kill_wait;
  setup.unkillable_after = config.unkillable_after;
  setup.boot_id = start_.hardware.boot_id;
  setup.confinement = confine(confinement_, setup.launch);
  setup.binds_tasks = config.binds_tasks;
  setup.task_prolog = config.task_prolog;
  setup.task_epilog = config.task_epilog;
  setup.access = access_to_nodes(start_.config);
  setup.lock_memory = config.lock_memory;
  setup.lock_future_memory = config.lock_future_memory;
  setup.track_by_group = config.track_by_process_group;
  setup.slurm_user = config.slurm_user;
  setup.tree_width = config.tree_width;
  const AttemptRef attempt{launch.ref.job, launch.ref.attempt};
  setup.stop_notice = job_socket_->notice_path(attempt);
  if (namespaces_) {
    auto held = namespaces_->provide(launch.ref.job, launch.uid, launch.gid);
    if (!held) return std::unexpected(held.error());
    setup.mount_namespace = *held;
  }
  if (launch.ref.step == kExternStep)
    extern_groups_[{launch.ref.job, launch.ref.attempt}] = setup.confinement;
  Result<void> spawned = steps_.spawn(std::move(setup));
  if (spawned) {
    gpus_.watch(launch);
    next_gpu_sample_ = std::min(next_gpu_sample_, io::steady_time() + Seconds{1});
  }
  return spawned;
}

void Slurmd::command(const wire::StepRef& step, const io::StepCommand& command) {
  if (Result<void> sent = steps_.command(step, command); !sent)
    io::log_error("job {}: {}", step.job.value, sent.error().text());
}

void Slurmd::signal(const wire::StepRef& step, int number, SignalScope scope) {
  command(step, io::StepSignal{.number = number,
                               .leader_only = scope == SignalScope::leader,
                               .notice = scope == SignalScope::notice});
}
void Slurmd::suspend(const wire::StepRef& step, bool resume) {
  command(step, io::StepSuspend{resume});
}
void Slurmd::announce(const wire::StepRef& step, std::string_view suffix, bool ends_step) {
  command(step, io::StepAnnounce{std::string(suffix), ends_step});
}
void Slurmd::notify(const wire::StepRef& step, std::string_view text) {
  command(step, io::StepNotice{std::string(text)});
}
void Slurmd::forget(const wire::StepRef& step) { steps_.forget(step); }

void Slurmd::send(const wire::ReportBatch& batch) { dialer_->send(encode(batch)); }

void Slurmd::store_epoch(Epoch epoch) {
  if (auto stored = io::write_file_atomic(epoch_path(), std::to_string(epoch.value), 0600); !stored)
    io::log_error("the controller's epoch is not stored: {}", stored.error().text());
}

void Slurmd::shutdown() {
  io::log_info("slurmctld has ordered this slurmd to stop");
  stop();
}
void Slurmd::log_error(std::string_view line) { io::log_error("{}", line); }

}  // namespace muster
