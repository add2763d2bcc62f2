// Draws requests at random: jobs, arrays, heterogeneous jobs, and actions on them.
#include "sim/users.h"

#include <iterator>

namespace muster::sim {

namespace {

JobRequest some_job(Schedule& chance, std::uint32_t cpus, const std::set<JobId>& acknowledged) {
  JobRequest spec;
  spec.name = "job";
  spec.memory_per_node_mib = static_cast<std::uint64_t>(chance.between(100, 9000));
  spec.num_tasks = static_cast<std::uint32_t>(chance.between(1, cpus * 2));
  spec.min_nodes = static_cast<std::uint32_t>(chance.between(1, 2));
  if (*spec.num_tasks < spec.min_nodes) spec.num_tasks = spec.min_nodes;
  spec.time_limit = Minutes{chance.between(1, 6)};
  if (chance.chance(30)) spec.gres = "gpu:1";
  if (chance.chance(10)) spec.exclusive = true;
  if (chance.chance(20)) spec.requeue = false;
  if (chance.chance(15) && !acknowledged.empty())
    spec.dependency = "afterany:" + std::to_string(acknowledged.begin()->value);
  return spec;
}

}  // namespace

wire::SubmitRequest some_submission(Schedule& chance, std::uint32_t cpus,
                                    const std::set<JobId>& acknowledged) {
  wire::SubmitRequest request;
  JobRequest spec = some_job(chance, cpus, acknowledged);
  if (chance.chance(20))
    spec.array = "0-4%2";
  else if (chance.chance(25))
    request.components.emplace_back(some_job(chance, cpus, acknowledged));
  request.spec = Cow(std::move(spec));
  return request;
}

wire::SubmitRequest some_rich_submission(Schedule& chance, std::uint32_t cpus,
                                         const std::set<JobId>& acknowledged, Time now) {
  wire::SubmitRequest request = some_submission(chance, cpus, acknowledged);
  JobRequest& spec = request.spec.edit();
  const bool is_plain = request.components.empty() && spec.array.empty();
  if (chance.chance(30)) spec.partition = chance.chance(70) ? "high" : "batch,high";
  if (chance.chance(30)) spec.qos = "urgent";
  if (chance.chance(20)) spec.licenses = "lic:1";
  if (chance.chance(15)) spec.begin = now + Seconds{chance.between(1, 200)};
  if (chance.chance(10)) spec.hold = true;
  if (chance.chance(15)) spec.nice = static_cast<std::int32_t>(chance.between(-100, 100));
  if (chance.chance(15)) spec.oversubscribe = true;
  if (chance.chance(15)) spec.warn_signal = {.number = 10, .seconds_before_end = 30};
  if (chance.chance(15)) spec.mail_type = kMailBegin | kMailEnd | kMailTimeLimit50;
  if (chance.chance(10)) spec.reboot = true;
  if (chance.chance(10)) spec.deadline = now + Minutes{chance.between(10, 60)};
  if (chance.chance(10)) spec.reservation = "r" + std::to_string(chance.between(1, 3));
  if (chance.chance(10)) spec.time_min = Minutes{1};
  if (chance.chance(5)) spec.contiguous = true;
  if (chance.chance(10) && !acknowledged.empty())
    spec.dependency = Dependency(Text((chance.chance(50) ? "afterok:" : "afternotok:") +
                                      std::to_string(acknowledged.rbegin()->value)));
  if (chance.chance(10)) spec.dependency = Dependency(Text("singleton"));
  if (is_plain && chance.chance(25)) spec.kind = JobKind::allocation;
  request.test_only = is_plain && chance.chance(5);
  request.immediate = is_plain && chance.chance(5);
  return request;
}

AccountsNews some_news(Schedule& chance, const Text& cluster) {
  auto times = [&] {
    return RowTimes{.created = {}, .modified = {}, .deleted = chance.chance(30)};
  };
  const Text account(chance.chance(50) ? "physics" : "biology");
  const auto limit = static_cast<std::uint32_t>(chance.below(100));
  const AdminLevel level = chance.chance(50) ? AdminLevel::administers : AdminLevel::none;
  AccountsNews news;
  news.rows.push_back(QosRow{
      .id = 2, .qos = {.name = "site", .priority = limit}, .defined_in = {}, .times = times()});
  news.rows.push_back(UserRow{.name = "alice", .admin_level = level, .times = times()});
  news.rows.push_back(AccountRow{.name = account,
                                 .description = {},
                                 .organization = {},
                                 .coordinators = {"alice"},
                                 .times = times()});
  news.rows.push_back(AssociationRow{.cluster = cluster,
                                     .association = {.key = {account, {}, {}}, .priority = limit},
                                     .comment = {},
                                     .times = times()});
  return news;
}

wire::Request some_interference(Schedule& chance, const std::set<JobId>& acknowledged) {
  const auto which = static_cast<std::ptrdiff_t>(chance.below(acknowledged.size()));
  wire::JobRef ref{.job = *std::next(acknowledged.begin(), which)};
  if (chance.chance(50)) {
    if (chance.chance(20)) ref.component = 1;  // refused if the job has none
    wire::CancelRequest request{.jobs = {ref}};
    if (chance.chance(30)) request.asking_job = ref.job;  // a script that ends its own job
    return request;
  }
  using enum wire::JobAction;
  const auto action = chance.chance(50) ? requeue : chance.chance(60) ? suspend : resume;
  wire::JobActionRequest request{.action = action, .jobs = {ref}};
  if (chance.chance(30)) request.asking_job = ref.job;
  return request;
}

}  // namespace muster::sim
