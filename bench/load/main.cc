// load: plays the nodes and users of a large cluster, for bench/scale. It fills most nodes with
// jobs that stay, while jobs on the other nodes end at once; queues many jobs; then lets jobs run
// through the queue, submitting one for each that ends, and reports what that cost the controller.
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "failure.h"
#include "nodes.h"
#include "users.h"

namespace muster::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kUsage =
    "load SOCKET PID NODES CPUS MEMORY PENDING JOBS USERS: SOCKET and PID of a slurmctld whose\n"
    "nodes are n0, n1, ...; prints a line when the queue stands and one with the result\n";
constexpr std::uint32_t kBusyNodes = 256;  // where jobs end at once
constexpr std::uint32_t kNodesPerStayingJob = 50;
constexpr std::uint64_t kEndsAhead = 256;  // of the submissions that replace them
constexpr const char* kStaying = "staying";

struct Moment {
  Clock::time_point at = Clock::now();
  double cpu_seconds = 0;
};

Moment moment_of(pid_t pid) {
  clockid_t clock;
  timespec spent{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &spent) != 0) {
    std::fputs("load: the controller has gone\n", stderr);
    std::_Exit(1);
  }
  return {Clock::now(),
          static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9};
}

std::string per_job(const Moment& from, const Moment& to, std::uint64_t jobs) {
  double seconds = std::chrono::duration<double>(to.at - from.at).count();
  return fmt::format(R"("cpu_us":{:.1f},"jobs_per_second":{:.0f})",
                     (to.cpu_seconds - from.cpu_seconds) / static_cast<double>(jobs) * 1e6,
                     static_cast<double>(jobs) / seconds);
}

template <class Condition>
void wait_until(Condition holds) {
  while (!holds()) std::this_thread::sleep_for(std::chrono::milliseconds{5});
}

// Fills all nodes except the first ones with jobs whose ends are far apart.
void fill(const Users& users, const Nodes& nodes, std::uint32_t count) {
  std::uint64_t jobs = 0;
  for (std::uint32_t first = std::min(kBusyNodes, count); first < count; ++jobs) {
    std::uint32_t last = std::min(first + kNodesPerStayingJob, count);
    JobRequest spec = mixed_job(jobs);
    spec.name = kStaying;
    spec.min_nodes = spec.max_nodes = last - first;
    spec.nodes_given = spec.exclusive = true;
    spec.num_tasks = last - first;
    spec.required_nodes = Text(fmt::format("n[{}-{}]", first, last - 1));
    spec.time_limit = Minutes{1440 + static_cast<int>(jobs) * 30};
    users.submit(spec);
    first = last;
  }
  wait_until([&] { return nodes.staying() >= jobs; });
}

int run(const std::string& socket, pid_t controller, NodesOptions options, std::uint64_t pending,
        std::uint64_t jobs, std::uint32_t users_at_once) {
  options.controller.unix_path = socket;
  options.controller.use_munge = false;
  options.staying_job = kStaying;
  const Users users(options.controller, users_at_once);
  Nodes nodes(options);
  fill(users, nodes, options.count);

  // One job is submitted for each that ends, and one ends for each that is submitted: the length of
  // the queue stays the same, and a few jobs run.
  auto queue_has_room = [&](std::uint64_t number) { return number < nodes.ended() + pending; };
  const Moment empty = moment_of(controller);
  users.submit_mixed(0, pending, [](std::uint64_t) { return true; }, [] {});
  const Moment queued = moment_of(controller);
  fmt::print("{{\"queued\":{},{}}}\n", pending, per_job(empty, queued, pending));
  std::fflush(stdout);

  const Moment begin = moment_of(controller);
  nodes.let_end(kEndsAhead);
  std::thread submitting([&] {
    users.submit_mixed(pending, pending + jobs, queue_has_room, [&] { nodes.let_end(1); });
  });
  wait_until([&] { return nodes.ended() >= jobs; });
  submitting.join();
  const Moment end = moment_of(controller);
  fmt::print("{{\"ran\":{},{}}}\n", jobs, per_job(begin, end, jobs));
  std::fflush(stdout);
  return 0;
}

}  // namespace

}  // namespace muster::bench

int main(int argc, char** argv) {
  using muster::parse_number;
  if (argc != 9) {
    std::fputs(muster::bench::kUsage, stderr);
    return 2;
  }
  auto number = [&](int i) { return parse_number<std::uint64_t>(argv[i]).value_or(0); };
  return muster::bench::run(argv[1], static_cast<pid_t>(number(2)),
                            {.controller = {},
                             .count = static_cast<std::uint32_t>(number(3)),
                             .cpus = static_cast<std::uint32_t>(number(4)),
                             .memory_mib = number(5),
                             .staying_job = {}},
                            number(6), number(7), static_cast<std::uint32_t>(number(8)));
}
