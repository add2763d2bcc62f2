#include "slurmctld/service.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "base/text/strings.h"
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

// Of the threads that answer one user has at most half.
io::FairPoolLimits answer_limits() {
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 8);
  return {.threads = threads, .running_per_user = threads / 2};
}
constexpr io::FairPoolLimits kTrialLimits{
    .threads = 2, .running_per_user = 1, .waiting_per_user = 16};

}  // namespace

Service::Service(ServiceOptions options, Configuration configuration, std::unique_ptr<Store> store,
                 std::unique_ptr<AccountingStore> accounting, std::string secret)
    : options_(std::move(options)),
      store_(std::move(store)),
      accounting_(std::move(accounting)),
      secret_(std::move(secret)),
      started_(current_time()),
      configuration_(std::move(configuration)) {}

Service::~Service() { stop(); }

Result<void> Service::start(io::Loop& loop, const io::ServerOptions& server) {
  loop_ = &loop;
  core_ = std::make_unique<controller::Core>(
      *this, controller::CoreOptions{.slurm_user = options_.slurm_user,
                                     .server_host = options_.host_name});
  auto stored = store_->load();
  if (!stored) return std::unexpected(stored.error());
  last_snapshot_ = stored->snapshot_number;
  sender_ = std::make_unique<io::Worker>("sender");
  planner_ = std::make_unique<io::Worker>("planner");
  store_thread_ = std::make_unique<io::Worker>("store");
  accounting_thread_ = std::make_unique<io::Worker>("accounting");
  background_ = std::make_unique<io::Worker>("background");
  auto reads_answers = [this](Uid user) { return server_->may_answer(user); };
  answers_ = std::make_unique<io::FairPool>("answers", answer_limits(), reads_answers);
  trials_ = std::make_unique<io::FairPool>("trials", kTrialLimits, reads_answers);
  sacct_ = std::make_unique<io::FairPool>("sacct", io::FairPoolLimits{}, reads_answers);
  set_limits();
  if (auto ok = core_->recover(std::move(*stored), configuration_.cluster, current_time(),
                               accounting_ ? accounting_->last() : 0);
      !ok)
    return ok;
  publish({core_->committed(), nullptr, nullptr, {}, nullptr});
  // From here on all is the loop's.
  auto listening = std::make_shared<std::promise<Result<void>>>();  // whoever lets go of it last
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
             if (!stopping_ && is_operator(peer))
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
  return {};
}

void Service::stop() {
  if (stopping_.exchange(true)) return;
  if (loop_) {
    // Then the loop's thread, which looks at stopping_, has left all of this.
    auto left = std::make_shared<std::promise<void>>();
    loop_->post([left] { left->set_value(); });
    left->get_future().wait();
  }
  programs_.forget();
  mails_.forget();
  // What was acknowledged is on disk; what is being committed is waited for. Answers that are being
  // made still leave.
  for (auto* worker : {&planner_, &store_thread_, &sender_, &accounting_thread_, &background_})
    if (*worker) (*worker)->stop();
  for (auto* pool : {&answers_, &trials_, &sacct_})
    if (*pool) (*pool)->stop();
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
  answered_here_.clear();
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

// Handing a batch to another thread and back would only take time, but nobody should wait for a
// slow disk who does not need it.
void Service::commit(const Batch& batch) {
  if (commits_are_short_) {
    committed_ = commit_now(batch);
    return;
  }
  store_thread_->post([this, &batch] {
    const CommitOutcome outcome = commit_now(batch);
    post([this, outcome] { committed_ = outcome; });
  });
}

CommitOutcome Service::commit_now(const Batch& batch) {
  const Clock::time_point began = Clock::now();
  auto outcome = store_->commit(batch);
  if (!outcome) {
    io::write_log(io::LogLevel::fatal,
                  "StateSaveLocation cannot be written: " + outcome.error().text());
    _exit(1);  // going on would acknowledge what a restart does not know
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
  if (to.connection != 0) send_part(to, std::move(answer), false);
}

// Where the last one was short, it is made at once: handing it over would only take time.
void Service::start_planning(Cluster cluster, Time now, sched::Budget budget) {
  // Never twice at a time: the core waits for on_planner_idle.
  auto timed_plan = [this, cluster = std::move(cluster), now, budget] {
    const Clock::time_point began = Clock::now();
    auto plan = sched::plan(cluster, now, budget, plan_memory_);
    return std::pair(std::move(plan), Clock::now() - began);
  };
  if (plans_are_short_ && !budget.thorough) {
    auto [plan, took] = timed_plan();
    const bool more_starts = plan.more_starts;
    core_->on_planned(std::move(plan), now);
    return rest_after_plan(took, more_starts);
  }
  planner_->post([this, timed_plan = std::move(timed_plan)] {
    auto [plan, took] = timed_plan();
    post([this, plan = std::move(plan), took]() mutable {
      const bool more_starts = plan.more_starts;
      core_->on_planned(std::move(plan), current_time());
      rest_after_plan(took, more_starts);
    });
  });
}

// A plan is followed by a rest many times as long, in which the core collects what happens:
// planning takes a tenth of a processor, and under load a plan starts many jobs at a time. One that
// started all it may goes on at once.
void Service::rest_after_plan(Clock::duration took, bool more_starts) {
  plans_are_short_ = took <= kShortPlan;
  const auto rest =
      more_starts ? Clock::duration::zero() : std::min<Clock::duration>(9 * took, kLongestRest);
  loop_->after(std::chrono::ceil<std::chrono::microseconds>(rest), [this] {
    if (!stopping_) core_->on_planner_idle();
  });
}

std::vector<std::string> Service::groups_of(Uid user) {
  auto known = users_.find(user);
  return known ? known->groups : users_.ask(user).groups;
}
bool Service::is_user(std::string_view name) { return io::is_user(std::string(name)); }
std::optional<std::vector<std::string>> Service::users_of_group(std::string_view group) {
  return io::users_of_group(std::string(group));
}

// The time of submission is part of it, because ids begin again after MaxJobId.
std::string Service::step_key(const Job& job, StepId step) {
  return io::keyed_hash(
      secret_, fmt::format("{}.{}.{}.{}", job.id.value, job.submitted.time_since_epoch().count(),
                           job.attempt.value, step.value));
}

void Service::log(std::string_view line) { io::write_log(io::LogLevel::info, line); }
void Service::log_error(std::string_view line) { errors_.write(io::LogLevel::error, line); }

}  // namespace muster::daemon
