#include "sim/world.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/codec.h"
#include "sim/machines.h"
#include "sim/network.h"
#include "sim/users.h"
#include "state/apply.h"
#include "state/invariants.h"
#include "state/snapshot.h"

namespace muster::sim {

namespace {

class World final : public controller::Host {
 public:
  explicit World(const WorldOptions& options)
      : options_(options), config_(configured_for(options)), schedule_(options.seed) {}

  Verdict run() {
    for (const NodeConfig& node : config_.nodes)
      nodes_.push_back(std::make_unique<FakeNode>(
          schedule_, node.name, node.cpus,
          FakeNode::Callbacks{
              .report = [this](FakeNode& n, wire::ReportBatch b) { on_report(n, std::move(b)); },
              .started = [this](FakeNode& n, const wire::StepRef& r) { on_started(n, r); }}));
    start_controller();
    for (auto& node : nodes_) node->start_slurmd();
    keep_connecting();
    plan_submissions();
    if (options_.faults) plan_faults();
    Time calm = schedule_.now() + options_.troubled;
    schedule_.run_until(calm);
    calm_ = true;
    disk_.full = false;
    for (auto& node : nodes_) {
      if (!node->has_power()) node->restore_power();
      node->start_slurmd();
    }
    if (!core_) start_controller();
    come_to_rest(calm + options_.rest);
    check_rest();
    verdict_.batches = disk_.last();
    return std::move(verdict_);
  }

  // --- controller::Host ---
  void commit(const Batch& batch) override {
    if (options_.crash_at_batch == batch.number && !crashed_at_batch_) {
      crashed_at_batch_ = true;
      if (schedule_.chance(50)) write(batch);
      schedule_.after(Millis{0}, [this] { crash_controller(); });
      return;
    }
    in_writing_ = batch;
    schedule_.after(Millis{schedule_.between(0, 3)}, [this, life = life_, batch] {
      if (life != life_) return;
      in_writing_.reset();
      if (disk_.full) {
        core_->on_committed(CommitOutcome::disk_full);
      } else {
        write(batch);
        for (const std::string& event : batch.events) note(event);
        core_->on_committed(CommitOutcome::committed);
        check_state();
        maybe_snapshot();
      }
      core_->flush(schedule_.now());
    });
  }
  void publish(controller::Published) override {}
  void account(controller::AccountingPortion portion) override {
    if (options_.sabotage.accounting) options_.sabotage.accounting(portion);
    accounting_.account(std::move(portion));
    if (schedule_.chance(20)) accounting_.feed();
  }
  void reply(controller::ReplyTo to, wire::Answer answer) override {
    if (auto* submitted = std::get_if<wire::SubmitReply>(&answer)) {
      acknowledged_.insert(submitted->job);
      ++verdict_.jobs_acknowledged;
    }
    (void)to;
  }
  void send(controller::NodeConnection to, Epoch epoch,
            std::vector<controller::OutgoingOrder> orders) override {
    wire::OrderBatch batch{.epoch = epoch};
    for (auto& o : orders) batch.orders.push_back(std::move(o.order));
    if (options_.sabotage.orders) options_.sabotage.orders(batch);
    network_.deliver(
        to, [this, to, batch = std::move(batch)] { network_.node_behind(to)->on_orders(batch); });
  }
  void start_planning(Cluster cluster, Time now, sched::Budget budget) override {
    // Mostly with few questions: then plans leave things out, as they do on large clusters.
    if (options_.seed % 4 != 0)
      budget.max_questions = std::min(budget.max_questions, std::uint64_t{400});
    auto plan = sched::plan(cluster, now, budget, plan_memory_);
    if (schedule_.chance(50)) {  // a short one: the daemon makes it at once
      core_->on_planned(std::move(plan), now);
      return core_->on_planner_idle();
    }
    schedule_.after(Millis{schedule_.between(0, 20)}, [this, life = life_, plan = std::move(plan)] {
      if (life != life_) return;
      core_->on_planned(plan, schedule_.now());
      core_->on_planner_idle();
      core_->flush(schedule_.now());
    });
  }
  std::string step_key(const Job&, StepId) override { return "key"; }
  std::vector<std::string> groups_of(Uid) override { return {}; }
  bool is_user(std::string_view) override { return true; }
  std::optional<std::vector<std::string>> users_of_group(std::string_view) override { return {}; }
  void run_program(controller::SiteProgramRun) override {}
  void log(std::string_view) override {}
  void log_error(std::string_view) override {}

 private:
  void broken(std::string what) {
    if (verdict_.broken.size() < 10)
      verdict_.broken.push_back(fmt::format("[seed {}, {} s] {}", options_.seed,
                                            unix_seconds(schedule_.now()) - 1'000'000'000, what));
  }
  void note(std::string_view bytes) {
    for (char c : bytes)
      verdict_.fingerprint = verdict_.fingerprint * 1099511628211u + static_cast<unsigned char>(c);
  }

  // --- the controller ---
  void start_controller() {
    ++life_;
    core_ = std::make_unique<controller::Core>(*this, controller::CoreOptions{});
    if (auto ok = core_->recover(disk_.load(), config_, schedule_.now(), accounting_.last()); !ok) {
      broken("recovery failed: " + ok.error().text());
      core_.reset();
      return;
    }
    for (JobId id : acknowledged_)
      if (!core_->cluster().jobs.contains(id) && !purged_.contains(id))
        broken(fmt::format("acknowledged job {} is lost", id.value));
    core_->flush(schedule_.now());
    tick(life_);
  }
  void tick(std::uint64_t life) {
    if (life != life_ || !core_) return;
    core_->on_tick(schedule_.now());
    core_->flush(schedule_.now());
    schedule_.after(Millis{1000}, [this, life] { tick(life); });
  }
  void crash_controller() {
    if (!core_) return;
    ++verdict_.crashes;
    if (in_writing_ && !disk_.full && schedule_.chance(50)) write(*in_writing_);
    in_writing_.reset();
    ++life_;
    core_.reset();
    accounting_.crash();
    network_.break_all();
    schedule_.after(Millis{schedule_.between(50, 20'000)}, [this] {
      if (!core_) start_controller();
    });
  }
  void maybe_snapshot() {
    if (!schedule_.chance(3)) return;
    accounting_.feed();
    disk_.write_snapshot(core_->committed_batch(), encode_snapshot(core_->committed()));
  }

  // What the journal says is purged is not lost, even if the controller died before it knew.
  void write(Batch batch) {
    if (options_.sabotage.disk) options_.sabotage.disk(batch);
    disk_.write(batch);
    for (const std::string& bytes : batch.events) {
      auto entry = decode<EventEntry>(bytes);
      if (!entry) {
        broken("an event that was just encoded cannot be decoded");
        continue;
      }
      if (auto* purged = std::get_if<JobsPurged>(&entry->event))
        for (const IdSet* gone : {&purged->jobs, &purged->remembered})
          for (std::uint32_t id : gone->ids()) purged_.insert(JobId{id});
    }
  }

  // --- the network ---
  void keep_connecting() {
    for (auto& node : nodes_)
      if (core_ && node->slurmd_runs()) network_.connect(*node);
    schedule_.after(Millis{700}, [this] { keep_connecting(); });
  }
  void on_report(FakeNode& node, wire::ReportBatch batch) {
    const Link link = network_.link_of(node);
    if (!link) return;
    if (options_.sabotage.reports) options_.sabotage.reports(batch);
    network_.deliver(link, [this, link, batch = std::move(batch)] {
      if (!core_) return;
      for (const wire::Report& report : batch.reports)
        core_->on_report(link, report, schedule_.now());
      core_->flush(schedule_.now());
    });
  }
  void break_link(FakeNode& node) { on_broken(network_.break_link(node)); }
  void on_broken(Link link) {
    if (!link) return;
    ++verdict_.broken_connections;
    if (!core_) return;
    core_->on_node_closed(link, schedule_.now());
    core_->flush(schedule_.now());
  }

  // --- users ---
  void plan_submissions() {
    for (std::uint32_t i = 0; i < options_.jobs; ++i)
      schedule_.after(Millis{schedule_.between(0, 600'000)}, [this] { submit(); });
    for (std::uint32_t i = 0; i < options_.jobs / 3; ++i)
      schedule_.after(Millis{schedule_.between(0, 800'000)}, [this] { interfere(); });
  }
  void submit() {
    if (core_) ask(some_submission(schedule_, options_.cpus, acknowledged_));
  }
  void interfere() {
    if (core_ && !acknowledged_.empty()) ask(some_interference(schedule_, acknowledged_));
  }
  void ask(wire::Request request) {
    core_->on_request({1, ++request_}, {}, std::move(request), schedule_.now());
    core_->flush(schedule_.now());
  }

  // --- faults ---
  void plan_faults() {
    if (calm_) return;
    schedule_.after(Millis{schedule_.between(1000, 40'000)}, [this] {
      if (calm_) return;
      FakeNode& node = *nodes_[schedule_.below(nodes_.size())];
      switch (schedule_.below(6)) {
        case 0:
          crash_controller();
          break;
        case 1:
          break_link(node);
          break;
        case 2:
          on_broken(network_.cut_off(node, Millis{schedule_.between(1000, 150'000)}));
          break;
        case 3:
          restart_slurmd(node);
          break;
        case 4:
          power_cycle(node);
          break;
        case 5:
          fill_disk();
          break;
      }
      plan_faults();
    });
  }
  void restart_slurmd(FakeNode& node) {
    break_link(node);
    node.stop_slurmd();
    schedule_.after(Millis{schedule_.between(10, 90'000)}, [&node] { node.start_slurmd(); });
  }
  void power_cycle(FakeNode& node) {
    ++verdict_.node_losses;
    break_link(node);
    node.lose_power();
    schedule_.after(Millis{schedule_.between(1000, 120'000)}, [&node] {
      if (!node.has_power()) node.restore_power();
      node.start_slurmd();
    });
  }
  void fill_disk() {
    disk_.full = true;
    schedule_.after(Millis{schedule_.between(100, 10'000)}, [this] { disk_.full = false; });
  }

  // Once nothing waits or runs any more, nothing else will happen.
  void come_to_rest(Time latest) {
    while (schedule_.now() < latest && !is_at_rest()) {
      release_held();
      schedule_.run_until(std::min(latest, schedule_.now() + Minutes{1}));
    }
  }
  // Jobs that a node could not launch wait for somebody to do so.
  void release_held() {
    if (!core_) return;
    wire::JobActionRequest request{.action = wire::JobAction::release};
    for (std::uint32_t id : core_->committed().pending.ids())
      if (core_->committed().jobs.at(JobId{id}).hold != Hold::none)
        request.jobs.push_back({.job = JobId{id}});
    if (!request.jobs.empty()) ask(std::move(request));
  }
  bool is_at_rest() const {
    if (!core_ || !core_->committed().pending.empty() || !core_->committed().active.empty())
      return false;
    return std::ranges::all_of(nodes_, [](const auto& node) { return node->processes().empty(); });
  }

  // --- checkers ---
  void check_state() {
    for (std::string& what : broken_invariants(core_->committed())) broken(std::move(what));
  }
  // No two attempts of a job run on reachable nodes. Only a node whose connection broke since it
  // started an attempt may still hold it: it is told to end it at first contact.
  void on_started(FakeNode& node, const wire::StepRef& ref) {
    ++verdict_.starts;
    note(fmt::format("{}:{}.{}@{}", node.name().view(), ref.job.value, ref.attempt.value,
                     unix_seconds(schedule_.now())));
    started_over_[{&node, ref}] = network_.link_of(node);
    for (auto& other : nodes_) {
      const Link link = network_.link_of(*other);
      if (!link) continue;
      for (const wire::StepRef& running : other->processes())
        if (running.job == ref.job && running.attempt != ref.attempt &&
            started_over_[{other.get(), running}] == link)
          broken(fmt::format("attempts {} and {} of job {} run at once", running.attempt.value,
                             ref.attempt.value, ref.job.value));
    }
  }
  void check_rest() {
    if (!core_) return broken("the controller is not up at the end");
    for (std::string& what : broken_invariants(core_->committed())) broken(std::move(what));
    core_->committed().jobs.each([&](const Job& job) {
      if (!is_ended(job.state) || job.completing())
        broken(fmt::format("job {} never ended: {}{}", job.id.value, state_name(job.state),
                           job.completing() ? ", completing" : ""));
    });
    accounting_.feed();
    for (std::string& what : accounting_.contradictions(core_->committed()))
      broken(std::move(what));
    for (auto& node : nodes_)
      if (!node->processes().empty())
        broken(fmt::format("node {} still runs job {}", node->name().view(),
                           node->processes().begin()->job.value));
    Cluster replayed;
    StoredState stored = disk_.load();
    if (stored.snapshot_number)
      if (auto snapshot = decode_snapshot(stored.snapshot)) replayed = std::move(*snapshot);
    for (const auto& entry : stored.journal)
      for (const std::string& event : entry.events)
        if (auto decoded = decode<EventEntry>(event)) muster::apply(replayed, decoded->event);
    if (encode_snapshot(replayed) != encode_snapshot(core_->committed()))
      broken("the journal does not give the state that was published");
  }

  WorldOptions options_;
  ClusterConfig config_;
  Schedule schedule_;
  Network network_{schedule_};
  FakeDisk disk_;
  FakeAccounting accounting_;
  std::vector<std::unique_ptr<FakeNode>> nodes_;
  sched::PlanMemory plan_memory_;
  std::unique_ptr<controller::Core> core_;
  std::uint64_t life_ = 0;
  std::optional<Batch> in_writing_;
  bool calm_ = false;
  bool crashed_at_batch_ = false;
  std::uint64_t request_ = 0;
  std::set<JobId> acknowledged_, purged_;
  std::map<std::pair<FakeNode*, wire::StepRef>, Link>
      started_over_;  // the link at the start of a process
  Verdict verdict_;
};

}  // namespace

Verdict simulate(const WorldOptions& options) { return World(options).run(); }

}  // namespace muster::sim
