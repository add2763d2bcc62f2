// Plays the users: submits jobs, and measures how long that takes.
#include "users.h"

#include <chrono>

#include "base/codec/codec.h"
#include "base/text/string_block.h"
#include "failure.h"
#include "wire/client_messages.h"

namespace muster::bench {

namespace {

constexpr Millis kPatience{120000};
constexpr std::string_view kScript =
    "#!/bin/bash\n#SBATCH -o /dev/null\nmodule load solver\nsrun solve input\n";

// As large as a typical login environment.
std::vector<std::string> login_environment() {
  std::vector<std::string> all{"HOME=/home/user", "SHELL=/bin/bash",
                               "PATH=/usr/local/bin:/usr/bin:/bin"};
  for (int i = 0; i < 40; ++i)
    all.push_back("MODULE_" + std::to_string(i) + "=/opt/software/module/version/lib64:/opt/lib");
  return all;
}

}  // namespace

JobRequest mixed_job(std::uint64_t number) {
  constexpr std::uint32_t kUsers = 10, kFirstUid = 20000;
  JobRequest spec;
  spec.kind = JobKind::batch;
  spec.uid = Uid{kFirstUid + static_cast<std::uint32_t>(number % kUsers)};
  spec.gid = Gid{100};
  spec.name = Text("run-" + std::to_string(number % 7));
  spec.work_dir = "/home/user/project";
  spec.std_out = "/dev/null";
  spec.submit_line = "sbatch job.sh";
  spec.command = "/home/user/project/job.sh";
  spec.submit_host = "login";
  spec.num_tasks = 1 + static_cast<std::uint32_t>(number % 4);
  if (number % 16 == 1) {
    spec.min_nodes = spec.max_nodes = 2;
    spec.nodes_given = true;
  }
  spec.memory_per_cpu_mib = 100;
  spec.time_limit = Minutes{30 << (number % 5)};
  return spec;
}

Users::Users(io::Endpoint controller, std::uint32_t at_once)
    : controller_(std::move(controller)),
      at_once_(at_once),
      environment_(StringBlock(login_environment()).bytes()) {}

void Users::submit(const JobRequest& spec) const {
  submit({.spec = spec, .script = std::string(kScript), .environment = environment_});
}

JobId Users::submit(JobToSubmit job) const {
  auto channel = io::Channel::connect(controller_, kPatience);
  check(channel, "connecting");
  wire::SubmitRequest request;
  request.spec = Cow<JobRequest>(std::move(job.spec));
  request.script = std::move(job.script);
  request.environment = std::move(job.environment);
  check(channel->send(encode(wire::RequestFrame{1, std::move(request), true})), "submitting");
  auto frame = channel->receive(kPatience);
  check(frame, "submitting");
  auto reply = decode<wire::ReplyFrame>(*frame);
  check(reply, "submitting");
  if (const auto* error = std::get_if<Error>(&reply->answer))
    check(Result<void>(std::unexpected(*error)), "submitting");
  const auto* submitted = std::get_if<wire::SubmitReply>(&reply->answer);
  return submitted ? submitted->job : JobId{};
}

void Users::in_parallel(std::uint64_t first, std::uint64_t last,
                        const std::function<void(std::uint64_t)>& work) const {
  std::atomic<std::uint64_t> next = first;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < at_once_; ++i)
    threads.emplace_back([&] {
      for (std::uint64_t number; (number = next++) < last;) work(number);
    });
  for (std::thread& thread : threads) thread.join();
}

void Users::submit_each(std::uint64_t first, std::uint64_t last,
                        const std::function<JobToSubmit(std::uint64_t)>& make) const {
  in_parallel(first, last, [&](std::uint64_t number) { submit(make(number)); });
}

void Users::submit_mixed(std::uint64_t first, std::uint64_t last,
                         const std::function<bool(std::uint64_t)>& may_go,
                         const std::function<void()>& on_acknowledged) const {
  in_parallel(first, last, [&](std::uint64_t number) {
    while (!may_go(number)) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    submit(mixed_job(number));
    on_acknowledged();
  });
}

}  // namespace muster::bench
