// Keeps the helper processes, passes them calls, and loads changed scripts.
#include "slurmctld/submit_scripts.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "io/files.h"
#include "io/log.h"
#include "io/process/program.h"

namespace muster::daemon {

namespace {

constexpr io::FairPoolLimits kPoolLimits{
    .threads = 4, .running_per_user = 1, .waiting_per_user = 256, .bytes_per_user = 64u << 20};

io::Deadline deadline_in(Seconds span) { return std::chrono::steady_clock::now() + span; }

// Another stamp: another file, or another content.
Result<std::string> stamp_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0)
    return fail(fmt::format("unable to stat {}: {}", path, std::strerror(errno)));
  return fmt::format("{}:{}:{}.{}:{}", status.st_dev, status.st_ino, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, status.st_size);
}

io::LogLevel level_of(wire::HookLevel level) {
  switch (level) {
    case wire::HookLevel::error:
      return io::LogLevel::error;
    case wire::HookLevel::verbose:
      return io::LogLevel::verbose;
    case wire::HookLevel::debug:
      return io::LogLevel::debug;
    default:
      return io::LogLevel::info;
  }
}

}  // namespace

ScriptOptions ScriptOptions::of(const config::SlurmConf& conf) {
  ScriptOptions options;
  const std::string plugins = conf.value("JobSubmitPlugins"),
                    timeout = conf.value("JobSubmitTimeout");
  for (std::string_view name : split(plugins, ','))
    if (name = trim(name); !name.empty()) {
      if (istarts_with(name, "job_submit/")) name.remove_prefix(11);
      options.plugins.push_back(lower(name));
    }
  options.directory = std::filesystem::path(conf.path).parent_path().string();
  options.cluster = conf.cluster_name;
  options.program = conf.value("JobSubmitScript");
  options.deadline = Seconds{parse_number<std::uint32_t>(timeout).value_or(3600)};  // INFINITE
  options.accepts_on_failure = iequals(conf.value("JobSubmitOnFailure"), "accept");
  return options;
}

SubmitScripts::SubmitScripts(ScriptOptions options)
    : options_(std::move(options)), pool_("scripts", kPoolLimits) {}

bool SubmitScripts::has_lua() const {
  return std::ranges::find(options_.plugins, "lua") != options_.plugins.end();
}
std::string SubmitScripts::lua_path() const { return options_.directory + "/job_submit.lua"; }

Result<void> SubmitScripts::start() {
  if (std::ranges::find(options_.plugins, "script") != options_.plugins.end()) {
    if (options_.program.empty()) return fail("JobSubmitPlugins=script needs JobSubmitScript=PATH");
    if (access(options_.program.c_str(), X_OK) != 0)
      return fail(fmt::format("JobSubmitScript={}: {}", options_.program, std::strerror(errno)));
  }
  if (!has_lua()) return {};
  const io::Deadline deadline = deadline_in(options_.deadline);
  auto stamp = stamp_of(lua_path());
  if (!stamp) return fail("JobSubmitPlugins=lua: " + stamp.error().text());
  auto text = io::read_file(lua_path());
  if (!text) return std::unexpected(text.error());
  auto worker = new_worker(deadline);
  if (!worker) return std::unexpected(worker.error());
  const Source source{std::move(*text), 1};
  if (auto loaded = load(*worker, source, deadline); !loaded)
    return fail("JobSubmitPlugins=lua: " + loaded.error().text());
  const std::lock_guard lock(mutex_);
  source_ = source;
  stamp_ = *stamp;
  idle_.push_back(std::move(*worker));
  return {};
}

void SubmitScripts::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    idle_.clear();
    for (const io::Helper* helper : busy_) helper->kill();
  }
  pool_.stop();
}

// The new script is tried in a process of its own, so a bad one harms nobody.
void SubmitScripts::reload_if_changed() {
  if (!has_lua()) return;
  auto stamp = stamp_of(lua_path());
  Source fresh;
  {
    const std::lock_guard lock(mutex_);
    const std::string seen = stamp ? *stamp : stamp.error().text();
    if (is_reloading_ || seen == stamp_) return;
    stamp_ = seen;
    is_reloading_ = true;
    fresh.version = source_.version + 1;
  }
  Result<void> loaded = stamp ? Result<void>{} : std::unexpected(stamp.error());
  const io::Deadline deadline = deadline_in(options_.deadline);
  Worker worker;
  if (loaded) {
    if (auto text = io::read_file(lua_path()))
      fresh.text = std::move(*text);
    else
      loaded = std::unexpected(text.error());
  }
  if (loaded) {
    auto started = new_worker(deadline);
    if (started) worker = std::move(*started);
    loaded = started ? load(worker, fresh, deadline) : std::unexpected(started.error());
  }
  if (loaded)
    io::log_info("JobSubmitPlugins=lua: {} has changed and is loaded", lua_path());
  else
    io::log_error("JobSubmitPlugins=lua: {}: the script that was loaded before stays in force",
                  loaded.error().text());
  const std::lock_guard lock(mutex_);
  is_reloading_ = false;
  if (!loaded) return;
  source_ = std::move(fresh);
  idle_.clear();  // those of other versions
  if (!is_stopped_) idle_.push_back(std::move(worker));
}

Result<SubmitScripts::Worker> SubmitScripts::new_worker(io::Deadline) {
  std::vector<std::string> arguments{"--directory=" + options_.directory,
                                     "--cluster=" + options_.cluster,
                                     fmt::format("--parent={}", getpid())};
  if (!options_.program.empty()) arguments.push_back("--script=" + options_.program);
  for (const std::string& plugin : options_.plugins) arguments.push_back("--plugin=" + plugin);
  auto helper = io::Helper::start(io::program_beside_us("slurmctld-hooks"), arguments);
  if (!helper) return std::unexpected(helper.error());
  return Worker{std::move(*helper), 0};
}

Result<SubmitScripts::Worker> SubmitScripts::take_worker(io::Deadline deadline) {
  Source source;
  Worker worker;
  {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty() && !worker.helper) {
      worker = std::move(idle_.back());
      idle_.pop_back();
      if (worker.helper->has_ended()) worker = {};
    }
    if (!worker.helper || worker.version != source_.version) source = source_;
  }
  if (!worker.helper) {
    auto started = new_worker(deadline);
    if (!started) return started;
    worker = std::move(*started);
  }
  if (source.version != 0 && worker.version != source.version)
    if (auto loaded = load(worker, source, deadline); !loaded)
      return std::unexpected(loaded.error());
  return worker;
}

void SubmitScripts::give_back(Worker worker) {
  const std::lock_guard lock(mutex_);
  if (!is_stopped_ && worker.version == source_.version) idle_.push_back(std::move(worker));
}

Result<void> SubmitScripts::load(Worker& worker, const Source& source, io::Deadline deadline) {
  Lines lines;
  auto answer = exchange(worker, {wire::HookLoad{source.text}}, lines, deadline);
  if (!answer)
    return fail(fmt::format("{}: {}", lua_path(), why_no_answer(worker, answer.error())));
  if (answer->failure) return fail(*answer->failure);
  worker.version = source.version;
  return {};
}

// Meanwhile stop() may kill the helper.
Result<wire::HookAnswer> SubmitScripts::exchange(Worker& worker, const wire::HookRequest& request,
                                                 Lines& lines, io::Deadline deadline) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return fail("slurmctld ends");
    busy_.insert(worker.helper.get());
  }
  auto answer = converse(worker, request, lines, deadline);
  const std::lock_guard lock(mutex_);
  busy_.erase(worker.helper.get());
  return answer;
}

Result<wire::HookAnswer> SubmitScripts::converse(Worker& worker, const wire::HookRequest& request,
                                                 Lines& lines, io::Deadline deadline) {
  if (auto sent = worker.helper->send(encode(request), deadline); !sent)
    return std::unexpected(sent.error());
  while (true) {
    auto frame = worker.helper->receive(wire::kMostHookBytes, deadline);
    if (!frame) return std::unexpected(frame.error());
    auto reply = decode<wire::HookReply>(*frame, Origin::foreign);
    if (!reply) return std::unexpected(reply.error());
    if (auto* answer = std::get_if<wire::HookAnswer>(&reply->reply)) return std::move(*answer);
    note(std::get<wire::HookLine>(reply->reply), lines);
  }
}

void SubmitScripts::note(const wire::HookLine& line, Lines& lines) {
  const std::string_view text = std::string_view(line.text).substr(0, wire::kMostHookLineBytes);
  if (line.level != wire::HookLevel::user) {
    if (io::log_level() >= level_of(line.level))
      log_.write(level_of(line.level), fmt::format("job_submit: {}", text));
  } else if (lines.size() < wire::kMostHookLines) {
    lines.emplace_back(text);
  }
}

std::string SubmitScripts::why_no_answer(Worker& worker, const Error& error) const {
  if (error.code == ErrorCode::timed_out)
    return fmt::format("no answer within {} seconds (JobSubmitTimeout)", options_.deadline.count());
  if (error.code == ErrorCode::zero_bytes) return "slurmctld-hooks " + worker.helper->how_ended();
  return error.text();
}

ScriptOutcome SubmitScripts::ask(const wire::HookCall& call) {
  ScriptOutcome outcome{wire::HookAnswer{}, {}};
  reload_if_changed();
  const io::Deadline deadline = deadline_in(options_.deadline);
  auto worker = take_worker(deadline);
  if (!worker) {
    outcome.answer = std::unexpected(worker.error());
    return outcome;
  }
  auto answer = exchange(*worker, {call}, outcome.lines, deadline);
  if (!answer) {
    outcome.answer = fail(why_no_answer(*worker, answer.error()));
    return outcome;
  }
  give_back(std::move(*worker));
  if (answer->failure)
    outcome.answer = fail(*answer->failure);
  else
    outcome.answer = std::move(answer);
  return outcome;
}

}  // namespace muster::daemon
