// One function for every kind of request: each draws a request, usually one that makes sense.
#include <array>
#include <iterator>
#include <optional>

#include "sim/users.h"

namespace muster::sim {

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

std::string number(std::int64_t n) { return std::to_string(n); }

JobId some_of(const IdSet& ids, Schedule& chance) {
  const auto all = ids.ids();
  return JobId{*std::next(all.begin(), static_cast<std::ptrdiff_t>(chance.below(ids.size())))};
}

// Usually a running job, sometimes a pending or ended one.
JobId some_job(const UserView& o) {
  if (!o.cluster.active.empty() && o.chance.chance(70)) return some_of(o.cluster.active, o.chance);
  if (!o.cluster.pending.empty() && o.chance.chance(70))
    return some_of(o.cluster.pending, o.chance);
  const auto which = static_cast<std::ptrdiff_t>(o.chance.below(o.acknowledged.size()));
  return *std::next(o.acknowledged.begin(), which);
}

std::string some_node(const UserView& o) {
  const auto& order = *o.cluster.node_order;
  return o.cluster.nodes.at(order[o.chance.below(order.size())]).config.name.str();
}

// --- jobs ---

wire::Request signal(const UserView& o) {
  wire::CancelRequest request{.jobs = {{.job = some_job(o)}},
                              .signal = o.chance.chance(50) ? 10 : 18};
  request.batch_only = o.chance.chance(30);
  request.full = o.chance.chance(30);
  return request;
}

wire::Request cancel_step(const UserView& o) {
  wire::JobRef ref{.job = some_job(o)};
  ref.step = StepId{static_cast<std::uint32_t>(o.chance.below(3))};
  return wire::CancelRequest{.jobs = {ref}};
}

wire::Request cancel_some(const UserView& o) {
  wire::CancelRequest request{.filter = wire::JobFilter{}};
  request.filter->names = {o.chance.chance(50) ? "rare" : "job of nobody"};
  return request;
}

template <wire::JobAction Action>
wire::Request act(const UserView& o) {
  wire::JobActionRequest request{.action = Action, .jobs = {{.job = some_job(o)}}};
  if (Action == wire::JobAction::notify) request.message = "the machine room is hot";
  if (o.chance.chance(20)) request.asking_job = request.jobs.front().job;
  if (o.chance.chance(10)) request.jobs.front().tasks = IdSet::range(0, 1);
  return request;
}

wire::Request update_job(const UserView& o) {
  const UserView& c = o;
  auto about = [&](std::initializer_list<std::string> values) {
    return *std::next(values.begin(), static_cast<std::ptrdiff_t>(c.chance.below(values.size())));
  };
  Settings settings{{"JobId", number(some_job(o).value)}};
  switch (o.chance.below(14)) {
    case 0:
      settings.emplace_back("TimeLimit", about({"1", "3", "+1", "-1", "6"}));
      break;
    case 1:
      settings.emplace_back("Priority", about({"0", "7", "1000000"}));
      break;
    case 2:
      settings.emplace_back("Nice", about({"0", "100", "-100"}));
      break;
    case 3:
      settings.emplace_back("Partition", about({"batch", "high", "batch,high"}));
      break;
    case 4:
      settings.emplace_back("QOS", about({"normal", "urgent"}));
      break;
    case 5:
      settings.emplace_back("StartTime", about({"now", "now+60", "now+200"}));
      break;
    case 6:
      settings.emplace_back("NumNodes", about({"1", "2", "1-2"}));
      break;
    case 7:
      settings.emplace_back("NumTasks", about({"1", "2"}));
      break;
    case 8:
      settings.emplace_back("Requeue", about({"0", "1"}));
      break;
    case 9:
      settings.emplace_back("ArrayTaskThrottle", about({"0", "1", "3"}));
      break;
    case 10:
      settings.emplace_back("Dependency", about({"", "singleton"}));
      break;
    case 11:
      settings.emplace_back("JobName", "rare");
      settings.emplace_back("Comment", "changed");
      break;
    case 12:
      settings.emplace_back("MinMemoryNode", about({"10", "2000"}));
      break;
    case 13:
      settings.emplace_back("Licenses", about({"", "lic:1"}));
      break;
  }
  return wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::job, .settings = settings};
}

// A running job gives nodes back.
wire::Request shrink(const UserView& o) {
  return wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::job,
                             .settings = {{"JobId", number(some_job(o).value)}, {"NumNodes", "1"}}};
}

wire::Request wait_for(const UserView& o) {
  wire::WaitJobRequest request{.job = some_job(o)};
  request.until_started = o.chance.chance(50);
  request.until_ready = request.until_started && o.chance.chance(50);
  if (o.chance.chance(20)) request.step = StepId{0};
  return request;
}

wire::Request release_allocation(const UserView& o) {
  return wire::ReleaseRequest{.job = some_job(o), .exit_status = o.chance.chance(30) ? 256u : 0u};
}

// --- steps ---

wire::StepRequest some_step(const UserView& o) {
  wire::StepRequest request{.job = some_job(o), .name = "step", .task = {.argv = {"a.out"}}};
  request.num_tasks = static_cast<std::uint32_t>(o.chance.between(1, 3));
  request.overlap = o.chance.chance(40);
  request.exclusive = o.chance.chance(30);
  if (o.chance.chance(30)) request.time_limit = Minutes{1};
  if (o.chance.chance(30)) request.immediate_s = 5;
  if (o.chance.chance(20)) request.memory_per_node_mib = 10;
  if (o.chance.chance(20)) request.gres = "none";
  return request;
}
wire::Request srun(const UserView& o) { return some_step(o); }

wire::Request srun_async(const UserView& o) {
  wire::StepRequest request = some_step(o);
  request.async = true;
  request.immediate_s.reset();
  return request;
}

wire::Request sattach(const UserView& o) {
  return wire::AttachStepRequest{.job = some_job(o), .step = StepId{0}};
}

wire::Request update_step(const UserView& o) {
  return wire::UpdateRequest{
      .kind = wire::UpdateRequest::Kind::step,
      .settings = {{"StepId", number(some_job(o).value)}, {"TimeLimit", "2"}}};
}

// --- nodes, partitions, reservations ---

wire::Request update_node(const UserView& o) {
  Settings settings{{"NodeName", some_node(o)}};
  static constexpr std::array kStates{"DRAIN", "RESUME", "UNDRAIN", "DOWN",
                                      "FAIL",  "IDLE",   "NORESP"};
  if (o.chance.chance(70)) {
    settings.emplace_back("State", kStates[o.chance.below(kStates.size())]);
    settings.emplace_back("Reason", "by chance");
  } else {
    settings.emplace_back("Weight", number(o.chance.between(1, 9)));
    settings.emplace_back("Comment", "changed");
    if (o.chance.chance(30)) settings.emplace_back("Extra", "more");
    if (o.chance.chance(30)) settings.emplace_back("Features", "fast,new");
  }
  return wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::node, .settings = settings};
}

wire::Request set_power(const UserView& o) {
  static constexpr std::array kStates{"POWER_DOWN", "POWER_DOWN_ASAP", "POWER_DOWN_FORCE",
                                      "POWER_UP", "RESUME"};
  return wire::UpdateRequest{
      .kind = wire::UpdateRequest::Kind::node,
      .settings = {{"NodeName", some_node(o)}, {"State", kStates[o.chance.below(kStates.size())]}}};
}

wire::Request reboot(const UserView& o) {
  static constexpr std::array kStates{"REBOOT", "REBOOT_ASAP", "CANCEL_REBOOT"};
  Settings settings{{"NodeName", some_node(o)}, {"State", kStates[o.chance.below(kStates.size())]}};
  if (o.chance.chance(30)) settings.emplace_back("NextState", "DOWN");
  return wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::node, .settings = settings};
}

wire::Request make_node(const UserView& o) {
  wire::UpdateRequest request{.kind = wire::UpdateRequest::Kind::node};
  request.settings = {{"NodeName", "d" + number(o.chance.between(1, 2))}};
  request.create = o.chance.chance(60);
  request.remove = !request.create;
  if (request.create) {
    request.settings.emplace_back("CPUs", "2");
    request.settings.emplace_back("State", "FUTURE");
  }
  return request;
}

wire::Request claim_node(const UserView& o) {
  wire::ClaimNodeRequest request;
  request.by.hostname = "stranger" + number(o.chance.between(1, 2));
  request.by.address = request.by.hostname;
  request.facts.cpus = static_cast<std::uint32_t>(o.chance.between(2, 4));
  request.facts.memory_mib = 1 << 20;
  return request;
}

wire::Request update_partition(const UserView& o) {
  wire::UpdateRequest request{.kind = wire::UpdateRequest::Kind::partition};
  if (o.chance.chance(25)) {
    request.settings = {{"PartitionName", "extra"}};
    request.create = o.chance.chance(50);
    request.remove = !request.create && o.chance.chance(50);
    if (!request.remove) request.settings.emplace_back("Nodes", some_node(o));
    return request;
  }
  request.settings = {{"PartitionName", o.chance.chance(50) ? "batch" : "high"}};
  static constexpr std::array<std::pair<const char*, const char*>, 9> kChanges{
      {{"State", "UP"},
       {"State", "DOWN"},
       {"State", "DRAIN"},
       {"State", "INACTIVE"},
       {"MaxTime", "10"},
       {"PriorityTier", "3"},
       {"GraceTime", "20"},
       {"OverSubscribe", "YES:2"},
       {"OverSubscribe", "NO"}}};
  request.settings.emplace_back(kChanges[o.chance.below(kChanges.size())]);
  return request;
}

wire::Request reserve(const UserView& o) {
  wire::UpdateRequest request{.kind = wire::UpdateRequest::Kind::reservation};
  request.settings = {{"ReservationName", "r" + number(o.chance.between(1, 3))}};
  auto set = [&](const char* key, std::string value) {
    request.settings.emplace_back(key, std::move(value));
  };
  switch (o.chance.below(4)) {
    case 0:
      request.remove = true;
      break;
    case 1:
      set("Duration", number(o.chance.between(1, 5)));
      break;
    default:
      request.create = true;
      set("StartTime", "now+" + number(o.chance.between(0, 100)));
      set("Duration", number(o.chance.between(1, 5)));
      set("Users", "root");
      if (o.chance.chance(50))
        set("Nodes", some_node(o));
      else
        set("NodeCnt", "1");
      static constexpr std::array kFlags{"MAINT", "IGNORE_JOBS", "FLEX", "PURGE_COMP=1", "DAILY"};
      if (o.chance.chance(60)) set("Flags", kFlags[o.chance.below(kFlags.size())]);
  }
  return request;
}

struct Verb {
  std::string_view name;
  wire::Request (*draw)(const UserView&);
};
using enum wire::JobAction;
constexpr Verb kVerbs[] = {{"signal", signal},
                           {"cancel_step", cancel_step},
                           {"cancel_some", cancel_some},
                           {"hold", act<hold>},
                           {"user_hold", act<user_hold>},
                           {"release", act<release>},
                           {"requeue", act<requeue>},
                           {"requeue_hold", act<requeue_hold>},
                           {"requeue_special", act<requeue_special>},
                           {"suspend", act<suspend>},
                           {"resume", act<resume>},
                           {"top", act<top>},
                           {"notify", act<notify>},
                           {"update_job", update_job},
                           {"shrink", shrink},
                           {"wait", wait_for},
                           {"release_allocation", release_allocation},
                           {"srun", srun},
                           {"srun_async", srun_async},
                           {"sattach", sattach},
                           {"update_step", update_step},
                           {"update_node", update_node},
                           {"set_power", set_power},
                           {"reboot", reboot},
                           {"make_node", make_node},
                           {"claim_node", claim_node},
                           {"update_partition", update_partition},
                           {"reserve", reserve}};

bool is_in_service(const Node& node) {
  return node.health != NodeHealth::down && !node.drain && !node.fail && node.responding;
}

}  // namespace

std::vector<std::string_view> verbs() {
  std::vector<std::string_view> names;
  for (const Verb& verb : kVerbs) names.push_back(verb.name);
  return names;
}

std::optional<RandomRequest> random_request(const UserView& o) {
  if (o.acknowledged.empty() || (*o.cluster.node_order).empty()) return std::nullopt;
  constexpr Uid kUser{1001};
  const Verb& verb = kVerbs[o.chance.below(std::size(kVerbs))];
  return RandomRequest{verb.name, verb.draw(o), o.chance.chance(85) ? Uid{} : kUser};
}

std::vector<wire::Request> repairs(const Cluster& cluster) {
  std::vector<wire::Request> requests;
  wire::JobActionRequest release_all{.action = release}, resume_all{.action = resume};
  for (std::uint32_t id : cluster.pending.ids())
    if (cluster.jobs.at(JobId{id}).hold != Hold::none)
      release_all.jobs.push_back({.job = JobId{id}});
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.state == JobState::suspended && !job.run->awaits_turn)
      resume_all.jobs.push_back({.job = JobId{id}});
  }
  if (!release_all.jobs.empty()) requests.emplace_back(std::move(release_all));
  if (!resume_all.jobs.empty()) requests.emplace_back(std::move(resume_all));
  auto update = [&](wire::UpdateRequest::Kind kind, Settings settings, bool remove = false) {
    requests.emplace_back(
        wire::UpdateRequest{.kind = kind, .settings = std::move(settings), .remove = remove});
  };
  using Kind = wire::UpdateRequest::Kind;
  for (const Partition& partition : *cluster.partitions)
    if (partition.state != PartitionState::up)
      update(Kind::partition, {{"PartitionName", partition.name.str()}, {"State", "UP"}});
  for (const Reservation& reservation : *cluster.reservations)
    update(Kind::reservation, {{"ReservationName", reservation.name.str()}}, true);
  cluster.nodes.each([&](const Node& node) {
    if (node.future || is_in_service(node)) return;
    // If the node is off, the next job that needs it switches it on.
    const bool is_off = node.power.phase == PowerPhase::off && cluster.settings().power.saving;
    const char* state = "RESUME";
    if (is_off) state = node.health == NodeHealth::down ? "POWER_UP" : "UNDRAIN";
    update(Kind::node, {{"NodeName", node.config.name.str()}, {"State", state}});
  });
  return requests;
}

}  // namespace muster::sim
