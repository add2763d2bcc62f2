// The controller's core with everything that can reach it: requests of users, reports of nodes,
// broken connections, full disks, time, restarts. Each input is one life of a cluster. The
// invariants of the state hold after every action, every request is answered or waits, and the
// journal leads the next controller to the same state.
#include <memory>

#include "controller/hooks/vetting.h"
#include "controller/ledger/request_rules.h"
#include "controller/views/explain.h"
#include "controller/views/query.h"
#include "controller/world.h"
#include "fuzz/draw.h"
#include "fuzz/target.h"
#include "state/snapshot.h"
#include "wire/hook_fields.h"

namespace muster::fuzz {
namespace {

// What slurmctld-hooks answers, about fields that there are.
FUZZ_TARGET(script_answer, dice_rolls()) {
  Draw draw(bytes);
  wire::HookAnswer answer;
  draw.fill(answer);
  wire::SubmitRequest submission;
  submission.spec = Cow<JobRequest>(JobRequest{});
  answer.parts.resize(1);
  const auto rows = wire::hook_fields();
  for (wire::HookField& field : answer.parts.front().set) {
    const wire::HookFieldRow& row = rows[field.name.size() % rows.size()];
    if (!field.name.starts_with('?')) field.name = row.name;
  }
  (void)controller::take_answer(answer, submission);
  (void)controller::take_answer(answer, {JobId{1}});
}

using namespace muster::controller;
using namespace muster::controller::test;
using muster::test::job;
using muster::test::kAlice;
using muster::test::kBob;
using muster::test::kRoot;

constexpr std::uint32_t kNodes = 4;

ClusterConfig config() {
  ClusterBuilder builder;
  builder.nodes(2, 8, 16'000).features({"a", "b"}).gpus(2);
  builder.nodes(2, 4, 8'000).features({"a"}).gpus(1, "a100").sockets(2, 2, 2);
  builder.partition({.name = "main"}, 1, 4).partition({.name = "other"}, 3, 4);
  builder.qos("high", "MaxJobsPU=3 MaxTRESPU=cpu=12");
  return builder.settings([](Settings& s) { s.licenses = {{"lic", 4}}; }).config();
}

class Life {
 public:
  explicit Life(std::string_view bytes) : draw_(bytes) { begin({}); }

  void live() {
    for (int actions = 0; actions < 24 && !draw_.empty(); ++actions) act();
    restart();
  }

 private:
  void begin(StoredState stored) {
    Time now = world_ ? world_->now : muster::test::t0;
    world_ = std::make_unique<World>(config(), std::move(stored));
    world_->now = now;
    for (std::uint32_t node = 1; node <= kNodes; ++node) world_->join(node);
  }

  void act() {
    switch (draw_.below(16)) {
      default:
        return request();
      case 9:
      case 10:
        return report();
      case 11:
        return finish();
      case 12:
        return pass();
      case 13:
        return world_->core.on_client_closed(1 + draw_.below(3), world_->now), world_->run();
      case 14:
        return draw_.below(4) ? lose_node() : fill_disk();
      case 15:
        return draw_.below(4) ? submit() : restart();
    }
  }

  void submit() {
    std::uint32_t nodes = 1 + draw_.below(2);
    world_->ask(wire::SubmitRequest{.spec = Cow(JobRequest(job().nodes(nodes)))}, who(), 1);
    world_->run();
  }

  void request() {
    constexpr std::uint32_t kKinds = std::variant_size_v<wire::Request>;
    // The most frequent requests of most users.
    static constexpr std::uint8_t kOften[] = {1, 1, 1, 6, 7, 8, 8, 13, 13, 12};
    std::uint32_t kind =
        draw_.below(4) ? kOften[draw_.below(std::size(kOften))] : draw_.below(kKinds);
    wire::RequestFrame frame{.request = start_of(kind)};
    if (frame.request.index() != kind) emplace(frame.request, kind);
    std::visit([&](auto& request) { draw_.fill(request); }, frame.request);
    auto received = decode<wire::RequestFrame>(encode(frame), Origin::foreign);
    if (!received) return;
    wire::Request& arrived = received->request;
    if (rule_of(arrived).by == AnsweredBy::snapshot) return query(arrived);
    if (auto* question = std::get_if<wire::ExplainRequest>(&arrived)) {
      if (world_->host.published)
        encode(wire::ReplyFrame{
            .answer = explain(*world_->host.published, viewer(), *question, world_->now)});
      return;
    }
    world_->ask(std::move(arrived), who(), 1 + draw_.below(3));
    world_->run();
    for (auto& [number, answer] : world_->host.replies) encode(wire::ReplyFrame{.answer = answer});
    world_->host.replies.clear();
    for (auto& [to, out] : world_->host.orders) encode(wire::OrderBatch{.orders = {out.order}});
    world_->host.orders.clear();
  }

  // A request that would be granted; the drawn values change it.
  wire::Request start_of(std::uint32_t kind) {
    switch (kind) {
      case 1:
        return wire::SubmitRequest{.spec = Cow(JobRequest(job().nodes(1)))};
      case 8:
        return update();
      case 13:
        return wire::StepRequest{.job = JobId{1 + draw_.below(4)}};
      default:
        return {};
    }
  }
  wire::Request update() {
    constexpr std::pair<const char*, const char*> kNames[] = {{"JobId", "1"},
                                                              {"NodeName", "n1"},
                                                              {"PartitionName", "main"},
                                                              {"StepId", "1.0"},
                                                              {"ReservationName", "r1"}};
    std::uint32_t kind = draw_.below(std::size(kNames));
    auto [key, value] = kNames[kind];
    wire::UpdateRequest request{.kind = static_cast<wire::UpdateRequest::Kind>(kind),
                                .settings = {{key, value}}};
    if (kind == 0) request.settings[0].second = std::to_string(1 + draw_.below(4));
    for (std::uint32_t n = draw_.below(4); n > 0; --n)
      request.settings.emplace_back(draw_.key(), draw_.text());
    if (kind == 4 && draw_.below(2)) {
      request.create = true;
      for (auto [k, v] :
           {std::pair{"StartTime", "now"}, {"Duration", "60"}, {"Nodes", "n1"}, {"Users", "alice"}})
        request.settings.emplace_back(k, v);
    }
    return request;
  }
  template <std::size_t I = 0>
  static void emplace(wire::Request& request, std::size_t kind) {
    if constexpr (I < std::variant_size_v<wire::Request>) {
      if (kind != I) return emplace<I + 1>(request, kind);
      request.emplace<I>();
    }
  }

  void query(const wire::Request& request) {
    if (!world_->host.published) return;
    QueryAnswer answer(std::make_shared<const Published>(*world_->host.published), viewer(),
                       request, world_->now);
    for (bool more = true; more;) {
      QueryAnswer::Part part = answer.next();
      more = part.more;
      encode(wire::ReplyFrame{.answer = std::move(part.answer)});
    }
  }

  Viewer viewer() {
    Uid uid = who();
    return {.uid = uid, .is_operator = uid == kRoot, .name = "alice"};
  }
  Uid who() {
    static constexpr Uid kWho[] = {kAlice, kAlice, kAlice, kBob, kRoot};
    return kWho[draw_.below(std::size(kWho))];
  }

  void report() {
    auto batch = draw_.message<wire::ReportBatch>();
    if (!batch) return;
    NodeConnection from = World::connection(1 + draw_.below(kNodes + 1));
    for (wire::Report& report : batch->reports)
      world_->core.on_report(from, std::move(report), world_->now);
    world_->run();
  }

  // The job of a batch script ends on all of its nodes.
  void finish() {
    std::optional<JobId> id;
    world_->core.cluster().jobs.each([&](const Job& candidate) {
      if (!id && !candidate.run->unfinished.empty()) id = candidate.id;
    });
    if (!id) return;
    const Job found = world_->core.cluster().jobs.at(*id);
    for (NodeId node : found.run->unfinished) {
      world_->step_end(node.value, {found.id, found.attempt, kBatchStep}, draw_.below(3) * 256);
      world_->gone(node.value, found.id.value, found.attempt.value);
    }
  }

  void pass() {
    constexpr Millis kSpans[] = {Seconds{1}, Seconds{61}, Minutes{61}, Minutes{24 * 60 + 1}};
    world_->pass(kSpans[draw_.below(std::size(kSpans))]);
  }

  void lose_node() {
    std::uint32_t node = 1 + draw_.below(kNodes);
    world_->leave(node);
    if (draw_.below(3) == 0) world_->pass(Minutes{10});
    world_->join(node, {}, {}, draw_.below(2) ? "boot" : "another");
  }

  void fill_disk() {
    world_->outcome = CommitOutcome::disk_full;
    submit();
    world_->pass(Seconds{1});
    world_->outcome = CommitOutcome::committed;
    for (int i = 0; i < 3; ++i) world_->pass(Seconds{1});
    require(!world_->core.ledger().is_disk_full(),
            "the disk has room again, and the core does not see it");
  }

  void restart() {
    if (world_->core.ledger().is_disk_full()) return;
    StoredState stored;
    for (const Batch& batch : world_->host.commits)
      if (!batch.events.empty() &&
          (stored.journal.empty() || stored.journal.back().number < batch.number))
        stored.journal.push_back({batch.number, batch.events});
    std::string before = encode_snapshot(world_->core.committed());
    require(decode_snapshot(before).has_value(), "a snapshot cannot be read");
    past_.insert(past_.end(), stored.journal.begin(), stored.journal.end());
    stored.journal = past_;
    begin(std::move(stored));
  }

  Draw draw_;
  std::unique_ptr<World> world_;
  std::vector<StoredState::Entry> past_;  // of earlier lives
};

FUZZ_TARGET(core, dice_rolls()) {
  GTEST_FLAG_SET(break_on_failure, true);
  Life(bytes).live();
}

}  // namespace
}  // namespace muster::fuzz
