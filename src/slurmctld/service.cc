// Starts and stops the threads, commits batches, and decides where plans are made.
#include "slurmctld/service.h"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <future>

#include <fmt/format.h>

#include "io/debug_flags.h"
#include "io/files.h"
#include "io/log.h"
#include "io/users.h"

namespace muster::daemon {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kShortPlan{2000};
constexpr std::chrono::milliseconds kShortCommit{2};
constexpr std::chrono::milliseconds kLongestRest{500};

// Of 1000 readings of the clock: it is long where the machine's clock is a slow one.
std::uint32_t measure_clock() {
  constexpr int kReadings = 1000;
  timeval read{};
  const auto began = Clock::now();
  for (int i = 0; i < kReadings; ++i) gettimeofday(&read, nullptr);
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began);
  return static_cast<std::uint32_t>(took.count());
}

}  // namespace

Service::Service(ServiceOptions options, Configuration configuration, std::unique_ptr<Store> store,
                 std::unique_ptr<AccountingStore> accounting,
                 std::unique_ptr<AccountsStore> accounts, Secret secret)
    : options_(std::move(options)),
      store_(std::move(store)),
      secret_(std::move(secret)),
      started_(current_time()),
      at_start_(configuration.conf),
      configuration_(std::move(configuration)),
      clock_latency_us_(measure_clock()),
      accounting_(std::move(accounting), timekeeper_, stopping_),
      accounts_(std::move(accounts), [this] { return published(); }),
      programs_([this](const controller::SiteProgramRun& run, bool succeeded) {
        post([this, run, succeeded] { core_->on_program_ended(run, succeeded, current_time()); });
      }) {}

Service::~Service() { stop(); }

Result<void> Service::start(io::Loop& loop, const io::ServerOptions& server) {
  loop_ = &loop;
  if (auto options = ScriptOptions::of(configuration_.conf); !options.plugins.empty()) {
    scripts_.emplace(std::move(options));
    if (auto ok = scripts_->start(); !ok) return ok;
  }
  core_ = std::make_unique<controller::Core>(
      *this, controller::Authority{.slurm_user = options_.slurm_user});
  auto stored = store_->load();
  if (!stored) return std::unexpected(stored.error());
  last_snapshot_ = stored->snapshot_number;
  planner_ = std::make_unique<io::Worker>("planner");
  store_thread_ = std::make_unique<io::Worker>("store");
  accounting_.start(loop);
  accounting_.on_trouble([this](bool failed) {
    core_->triggers().pull(failed ? TriggerEvent::database_failed : TriggerEvent::database_resumed);
  });
  background_ = std::make_unique<io::Worker>("background");
  if (auto ok = core_->recover(std::move(*stored), configuration_.cluster, current_time(),
                               accounting_.has_store() ? accounting_.store().last() : 0);
      !ok)
    return ok;
  if (auto ok = AccountsWay{*this}.start(); !ok) return ok;
  publish({core_->committed(), nullptr, nullptr, {}, nullptr});
  if (!link_) accounting_.keep_usage();
  // From here on everything runs on the loop.
  auto listening = std::make_shared<std::promise<Result<void>>>();  // shared with the posted work
  loop.post([this, &server, listening] {
    listening->set_value(listen(server));
    tick();
  });
  return listening->get_future().get();
}

Result<void> Service::listen(const io::ServerOptions& server) {
  auto listening = io::Server::listen(
      *loop_, server,
      {.on_open = [this](io::ConnectionId id, const io::Peer& peer) { on_open(id, peer); },
       .on_frame = [this](io::ConnectionId id,
                          std::string frame) { on_frame(id, std::move(frame)); },
       .on_close = [this](io::ConnectionId id) { on_close(id); },
       .on_clock_difference =
           [this](const io::Peer& peer, const std::string& name, Seconds ahead) {
             if (!stopping_ && options_.is_operator(peer))
               core_->on_clock_difference(name, ahead, current_time());
           },
       .is_needed =
           [this](io::ConnectionId id) {
             auto found = connections_.find(id);
             return found != connections_.end() &&
                    (found->second.role == io::PeerRole::node || core_->serves(id));
           }});
  if (!listening) return std::unexpected(listening.error());
  server_ = std::move(*listening);
  for (const AccountsNews& news : std::exchange(early_news_, {})) AccountsWay{*this}.hear(news);
  orders_.emplace(*loop_, *server_, *store_, blobs_, stopping_);
  shares_.emplace(*loop_, *server_, options_.slurm_user, stopping_);
  shares_->set_limits(configuration_.conf.words);
  if (scripts_)
    vetting_.emplace(*scripts_, Vetting::World{*server_,
                                               *shares_,
                                               {options_.slurm_user},
                                               [this] { return published(); },
                                               [this] { return current_time(); },
                                               [this](auto work) { post(std::move(work)); }});
  return {};
}

void Service::stop() {
  if (stopping_.exchange(true)) return;
  if (loop_) {
    // After this the loop's thread, which checks stopping_, no longer uses this object.
    auto left = std::make_shared<std::promise<void>>();
    loop_->post([left] { left->set_value(); });
    left->get_future().wait();
  }
  programs_.forget();
  // Everything acknowledged is on disk. Wait for a commit in progress, and for answers that are
  // being made.
  for (auto* worker : {&planner_, &store_thread_})
    if (*worker) (*worker)->stop();
  if (orders_) orders_->stop();
  accounting_.stop();
  if (link_) link_->stop();
  accounts_.stop();
  if (background_) background_->stop();
  if (scripts_) scripts_->stop();
  if (shares_) shares_->stop();
  if (loop_) loop_->stop_blocking();
  server_.reset();
}

void Service::post(std::function<void()> work) {
  loop_->post([this, work = std::move(work)] {
    if (!stopping_) work();
  });
}

void Service::advance() {
  if (stopping_ || !server_) return;
  shares_->begin_round();
  core_->flush(current_time());
  while (auto outcome = std::exchange(committed_, std::nullopt)) core_->on_committed(*outcome);
}

void Service::tick() {
  if (stopping_) return;
  timekeeper_.tick(*core_, io::read_clocks());
  snapshot_if_due();
  loop_->after(controller::Timekeeper::kTickEvery, [this] { tick(); });
}

// --- controller::Host ---

// While commits are fast, they run here, because handing them to another thread takes time. If the
// disk is slow, another thread commits, so that requests that change nothing need not wait.
void Service::commit(const Batch& batch) {
  if (commits_are_short_) {
    committed_ = commit_now(batch);
    return;
  }
  try {
    store_thread_->post([this, &batch, outcome = std::optional<CommitOutcome>()]() mutable {
      if (!outcome) outcome = commit_now(batch);  // once, even if memory runs out below
      post([this, outcome = *outcome] { committed_ = outcome; });
    });
  } catch (const std::bad_alloc&) {
    committed_ = CommitOutcome::out_of_memory;
  }
}

CommitOutcome Service::commit_now(const Batch& batch) {
  const Clock::time_point began = Clock::now();
  Result<CommitOutcome> outcome = CommitOutcome::out_of_memory;
  try {
    outcome = store_->commit(batch);
  } catch (const std::bad_alloc&) {
  }
  if (!outcome) {
    io::write_log(io::LogLevel::fatal,
                  "StateSaveLocation cannot be written: " + outcome.error().text());
    _exit(1);  // otherwise we would acknowledge changes that a restart loses
  }
  commits_are_short_ = Clock::now() - began < kShortCommit;
  return *outcome;
}

void Service::publish(controller::Published published) {
  auto fresh = std::make_shared<const controller::Published>(std::move(published));
  const std::lock_guard lock(published_mutex_);
  published_.swap(fresh);
}

std::shared_ptr<const controller::Published> Service::published() const {
  const std::lock_guard lock(published_mutex_);
  return published_;
}

void Service::reply(controller::ReplyTo to, wire::Answer answer) {
  if (to.connection != 0) send_part(*server_, to, std::move(answer), false);
}

// If the last plan was short, this one is made here, because handing it to another thread takes
// time.
void Service::start_planning(Cluster cluster, Time now, sched::Budget budget) {
  // There is never more than one plan at a time: the core waits for on_planner_idle.
  auto timed_plan = [this, cluster = std::move(cluster), now, budget] {
    const Clock::time_point began = Clock::now();
    sched::Plan plan;
    try {
      plan = sched::plan(cluster, now, budget, planner_cache_);
    } catch (const std::bad_alloc&) {
      planner_cache_ = {};
      plan.complete = false;
      log_error("there is not enough memory for a plan: nothing starts until a later one");
    }
    return std::pair(std::move(plan), Clock::now() - began);
  };
  if (plans_are_short_ && !budget.thorough) {
    auto [plan, took] = timed_plan();
    rest_after_plan(took, plan.more_starts);
    return core_->on_planned(std::move(plan), now, floor<std::chrono::microseconds>(took));
  }
  plans_aside_ = true;
  planner_->post([this, timed_plan = std::move(timed_plan)] {
    auto [plan, took] = timed_plan();
    post([this, plan = std::move(plan), took]() mutable {
      plans_aside_ = false;
      rest_after_plan(took, plan.more_starts);  // first: it may find no memory
      core_->on_planned(std::move(plan), current_time(), floor<std::chrono::microseconds>(took));
    });
  });
}

// After a plan there is a pause nine times as long, in which the core collects events. So planning
// takes at most a tenth of a processor, and under load a plan starts many jobs at a time. A plan
// that reached its limit of starts is followed by the next one at once.
void Service::rest_after_plan(Clock::duration took, bool more_starts) {
  plans_are_short_ = took <= kShortPlan;
  const auto rest =
      more_starts ? Clock::duration::zero() : std::min<Clock::duration>(9 * took, kLongestRest);
  loop_->after(std::chrono::ceil<std::chrono::microseconds>(rest), [this] {
    if (!stopping_) core_->on_planner_idle();
  });
}

std::vector<std::string> Service::groups_of(Uid user) { return users_.groups_of(user); }
bool Service::is_user(std::string_view name) { return io::is_user(std::string(name)); }
std::optional<std::vector<std::string>> Service::users_of_group(std::string_view group) {
  return io::users_of_group(std::string(group));
}

// Includes the submission time, because job ids start again after MaxJobId.
Secret Service::step_key(const Job& job, StepId step) {
  return io::keyed_hash(
      secret_, fmt::format("{}.{}.{}.{}", job.id.value, job.submitted.time_since_epoch().count(),
                           job.attempt.value, step.value));
}

void Service::account(accounting::AccountingDelta delta) {
  delta.changes.date(delta.cluster, current_time());
  accounting_.add(std::move(delta));
}
void Service::send(controller::NodeConnection to, Epoch epoch,
                   std::vector<controller::OutgoingOrder> orders) {
  orders_->send(to, epoch, std::move(orders));
}
void Service::run_program(controller::SiteProgramRun run) {
  programs_.run(*loop_, configuration_.conf, std::move(run));
}

void Service::log(std::string_view line) { io::write_log(io::LogLevel::info, line); }
void Service::log_error(std::string_view line) { errors_.write(io::LogLevel::error, line); }

}  // namespace muster::daemon
