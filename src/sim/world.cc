#include "sim/world.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/codec.h"
#include "state/apply.h"
#include "state/invariants.h"
#include "state/snapshot.h"

namespace muster::sim {

namespace {

ClusterConfig make_config(const WorldOptions& options) {
  ClusterConfig config;
  config.settings.cluster_name = "sim";
  config.settings.slurmd_timeout = Seconds{60};
  config.settings.accounting = true;
  config.settings.kill_wait = Seconds{5};
  config.settings.return_to_service = 2;
  config.settings.max_batch_requeue = 1000;  // nodes die often here, and nobody releases a job
  config.settings.gres_types = {"gpu"};
  if (options.seed % 2 == 0) {  // usage is counted through all that happens
    config.settings.priority.multifactor = true;
    config.settings.priority.fair_share = 1000;
    config.settings.priority.shares.calc_period = Seconds{10};
  }
  Partition partition;
  partition.name = "batch";
  partition.is_default = true;
  std::vector<Text> names;
  for (std::uint32_t i = 1; i <= options.nodes; ++i) {
    NodeConfig node;
    node.name = "n" + std::to_string(i);
    node.cpus = node.cores_per_socket = options.cpus;
    node.memory_mib = 16000;
    node.gres = {{.name = "gpu", .type = "v100", .count = 2, .indices = IdSet::range(0, 1)}};
    names.push_back(node.name);
    config.nodes.push_back(std::move(node));
  }
  config.partitions = {partition};
  config.partition_nodes = {names};
  return config;
}

class World final : public controller::Host {
 public:
  explicit World(const WorldOptions& options)
      : options_(options), config_(make_config(options)), schedule_(options.seed) {}

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
    deliver(to, [this, to, batch = std::move(batch)] {
      auto link = links_.find(to);
      if (link != links_.end()) link->second->on_orders(batch);
    });
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
  std::string step_key(JobId, Attempt, StepId) override { return "key"; }
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
    auto links = std::move(links_);
    links_.clear();
    for (auto& [id, node] : links) node->on_disconnected();
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
        for (std::uint32_t id : purged->jobs.ids()) purged_.insert(JobId{id});
    }
  }

  // --- the network ---
  void keep_connecting() {
    for (auto& node : nodes_) {
      if (core_ && node->slurmd_runs() && !link_of(*node) && !cut_off_.contains(node.get())) {
        links_[++last_link_] = node.get();
        node->on_connected();
      }
    }
    schedule_.after(Millis{700}, [this] { keep_connecting(); });
  }
  // Messages of one connection arrive in order, after a delay, or not at all if it breaks first.
  void deliver(std::uint64_t link, std::function<void()> message) {
    Time& last = last_delivery_[link];
    last = std::max(
        last, schedule_.now() + Millis{schedule_.between(0, schedule_.chance(5) ? 3000 : 20)});
    schedule_.at(last, [this, link, message = std::move(message)] {
      if (links_.contains(link)) message();
    });
  }
  std::uint64_t link_of(const FakeNode& node) const {  // 0 = not connected
    for (auto& [id, linked] : links_)
      if (linked == &node) return id;
    return 0;
  }
  void on_report(FakeNode& node, wire::ReportBatch batch) {
    std::uint64_t link = link_of(node);
    if (!link) return;
    if (options_.sabotage.reports) options_.sabotage.reports(batch);
    deliver(link, [this, link, batch = std::move(batch)] {
      if (!core_) return;
      for (const wire::Report& report : batch.reports)
        core_->on_report(link, report, schedule_.now());
      core_->flush(schedule_.now());
    });
  }
  void break_link(FakeNode& node) {
    for (auto link = links_.begin(); link != links_.end(); ++link) {
      if (link->second != &node) continue;
      std::uint64_t id = link->first;
      links_.erase(link);
      ++verdict_.broken_connections;
      node.on_disconnected();
      if (core_) {
        core_->on_node_closed(id, schedule_.now());
        core_->flush(schedule_.now());
      }
      return;
    }
  }

  // --- users ---
  void plan_submissions() {
    for (std::uint32_t i = 0; i < options_.jobs; ++i)
      schedule_.after(Millis{schedule_.between(0, 600'000)}, [this] { submit(); });
    for (std::uint32_t i = 0; i < options_.jobs / 3; ++i)
      schedule_.after(Millis{schedule_.between(0, 800'000)}, [this] { interfere(); });
  }
  JobSpec some_job() {
    JobSpec spec;
    spec.name = "job";
    spec.memory_per_node_mib = static_cast<std::uint64_t>(schedule_.between(100, 9000));
    spec.num_tasks = static_cast<std::uint32_t>(schedule_.between(1, options_.cpus * 2));
    spec.min_nodes = static_cast<std::uint32_t>(schedule_.between(1, 2));
    if (*spec.num_tasks < spec.min_nodes) spec.num_tasks = spec.min_nodes;
    spec.time_limit = Minutes{schedule_.between(1, 6)};
    if (schedule_.chance(30)) spec.gres = "gpu:1";
    if (schedule_.chance(10)) spec.exclusive = true;
    if (schedule_.chance(20)) spec.requeue = false;
    if (schedule_.chance(15) && !acknowledged_.empty())
      spec.dependency = "afterany:" + std::to_string(acknowledged_.begin()->value);
    return spec;
  }
  void submit() {
    if (!core_) return;
    JobSpec spec = some_job();
    wire::SubmitRequest request;
    if (schedule_.chance(20))
      spec.array = "0-4%2";
    else if (schedule_.chance(25))
      request.components.emplace_back(some_job());
    request.spec = Cow(std::move(spec));
    core_->on_request({1, ++request_}, {}, std::move(request), schedule_.now());
    core_->flush(schedule_.now());
  }
  void interfere() {
    if (!core_ || acknowledged_.empty()) return;
    auto at = acknowledged_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(schedule_.below(acknowledged_.size())));
    wire::Request request;
    if (schedule_.chance(50)) {
      wire::JobRef ref{.job = *at};
      if (schedule_.chance(20)) ref.component = 1;  // refused where the job has none
      request = wire::CancelRequest{.jobs = {ref}};
    } else {
      using enum wire::JobAction;
      const auto action = schedule_.chance(50) ? requeue : schedule_.chance(60) ? suspend : resume;
      request = wire::JobActionRequest{.action = action, .jobs = {{.job = *at}}};
    }
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
          cut_off(node, Millis{schedule_.between(1000, 150'000)});
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
  void cut_off(FakeNode& node, Millis span) {
    cut_off_.insert(&node);
    break_link(node);
    schedule_.after(span, [this, &node] { cut_off_.erase(&node); });
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
    if (request.jobs.empty()) return;
    core_->on_request({1, ++request_}, {}, std::move(request), schedule_.now());
    core_->flush(schedule_.now());
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
    started_over_[{&node, ref}] = link_of(node);
    for (auto& other : nodes_) {
      std::uint64_t link = link_of(*other);
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
  FakeDisk disk_;
  FakeAccounting accounting_;
  std::vector<std::unique_ptr<FakeNode>> nodes_;
  sched::PlanMemory plan_memory_;
  std::unique_ptr<controller::Core> core_;
  std::uint64_t life_ = 0;
  std::optional<Batch> in_writing_;
  bool calm_ = false;
  bool crashed_at_batch_ = false;
  std::map<std::uint64_t, FakeNode*> links_;  // by connection
  std::map<std::uint64_t, Time> last_delivery_;
  std::uint64_t last_link_ = 100;
  std::set<FakeNode*> cut_off_;
  std::uint64_t request_ = 0;
  std::set<JobId> acknowledged_, purged_;
  std::map<std::pair<FakeNode*, wire::StepRef>, std::uint64_t>
      started_over_;  // the link at the start of a process
  Verdict verdict_;
};

}  // namespace

Verdict simulate(const WorldOptions& options) { return World(options).run(); }

}  // namespace muster::sim
