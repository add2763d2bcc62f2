// waiting: queues jobs that all differ and cannot start, for bench/queue. Each has its own name,
// output path, script and environment of 60 variables. A third of them begin tomorrow, a third
// depend on a held job, and a third are held.
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "base/text/string_block.h"
#include "base/text/strings.h"
#include "users.h"

namespace muster::bench {

namespace {

constexpr std::uint32_t kAtOnce = 8;

std::string own_environment(std::uint64_t number) {
  std::vector<std::string> all{"HOME=/home/user", "SHELL=/bin/bash",
                               "PATH=/usr/local/bin:/usr/bin:/bin"};
  while (all.size() < 60)
    all.push_back(
        fmt::format("VARIABLE_{}=/opt/software/module/{}/lib64:/opt/lib", all.size(), number));
  return StringBlock(all).bytes();
}

JobToSubmit differing_job(std::uint64_t number, Uid uid, JobId held) {
  JobToSubmit job;
  JobRequest& spec = job.spec;
  spec.kind = JobKind::batch;
  spec.uid = uid;
  spec.name = Text(fmt::format("training-{}", number));
  spec.work_dir = "/home/user/project";
  spec.std_out = Text(fmt::format("/home/user/project/runs/{}/output-%j.txt", number));
  spec.submit_line = Text(fmt::format("sbatch -J training-{0} run-{0}.sh", number));
  spec.command = Text(fmt::format("/home/user/project/run-{}.sh", number));
  spec.submit_host = "login";
  spec.num_tasks = 1;
  spec.memory_per_cpu_mib = 100;
  spec.time_limit = Minutes{60};
  switch (number % 3) {
    case 0:
      spec.hold = true;
      break;
    case 1:
      spec.begin = Time{std::chrono::duration_cast<Millis>(
                       std::chrono::system_clock::now().time_since_epoch())} +
                   Minutes{1440} + Seconds{static_cast<std::int64_t>(number)};
      break;
    default:
      spec.dependency = Text(fmt::format("afterok:{}", held.value));
  }
  job.script = fmt::format("#!/bin/bash\npython3 train.py --seed {}\n", number);
  job.environment = own_environment(number);
  return job;
}

int run(const std::string& socket, Uid uid, std::uint64_t first, std::uint64_t count) {
  io::Endpoint controller;
  controller.unix_path = socket;
  controller.use_munge = false;
  const Users users(controller, kAtOnce);
  const JobId held = users.submit(differing_job(0, uid, {}));
  users.submit_each(first, first + count,
                    [&](std::uint64_t number) { return differing_job(number, uid, held); });
  return 0;
}

}  // namespace

}  // namespace muster::bench

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs(
        "waiting SOCKET UID FIRST COUNT: jobs FIRST, FIRST + 1, ... for the slurmctld at SOCKET\n",
        stderr);
    return 2;
  }
  auto number = [&](int i) { return muster::parse_number<std::uint64_t>(argv[i]).value_or(0); };
  return muster::bench::run(argv[1], muster::Uid{static_cast<std::uint32_t>(number(2))}, number(3),
                            number(4));
}
