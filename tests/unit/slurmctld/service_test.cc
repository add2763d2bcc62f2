// The controller with sockets and threads, and a disk that the test can fill.
#include "slurmctld/service.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/codec/codec.h"
#include "config/cluster_config.h"
#include "io/net/handshake.h"
#include "io/net_fixture.h"
#include "wire/client_messages.h"

namespace muster::daemon {
namespace {

// What survives a controller.
struct Disk {
  std::mutex mutex;  // guards the members below
  bool is_full = false;
  int refused = 0;  // commits while it was full
  std::vector<StoredState::Entry> journal;
  std::map<std::string, std::string, std::less<>> blobs;

  template <class T>
  T locked(std::function<T(Disk&)> work) {
    const std::lock_guard lock(mutex);
    return work(*this);
  }
};

class FakeStore final : public Store {
 public:
  explicit FakeStore(Disk& disk) : disk_(disk) {}
  Result<StoredState> load() override {
    const std::lock_guard lock(disk_.mutex);
    StoredState state;
    state.journal = disk_.journal;
    return state;
  }
  Result<CommitOutcome> commit(const Batch& batch) override {
    const std::lock_guard lock(disk_.mutex);
    disk_.refused += disk_.is_full ? 1 : 0;
    if (disk_.is_full) return CommitOutcome::disk_full;
    disk_.journal.push_back({batch.number, batch.events});
    for (const auto& [hash, bytes] : batch.blobs) disk_.blobs[hash] = bytes;
    return CommitOutcome::committed;
  }
  Result<std::string> read_blob(std::string_view hash) override {
    const std::lock_guard lock(disk_.mutex);
    auto found = disk_.blobs.find(hash);
    if (found == disk_.blobs.end()) return fail("no such blob");
    return found->second;
  }
  Result<void> write_snapshot(BatchNumber, std::string_view,
                              const std::vector<std::string>&) override {
    return {};
  }

 private:
  Disk& disk_;
};

Result<Configuration> configuration() {
  constexpr std::string_view kText =
      "ClusterName=test\nSlurmctldHost=localhost\nAuthType=auth/none\n"
      "NodeName=n1 CPUs=4 RealMemory=1000\nPartitionName=main Nodes=n1 Default=YES\n";
  auto conf = config::load_slurm_conf(
      [&](const std::string&) -> Result<std::string> { return std::string(kText); }, "slurm.conf");
  if (!conf) return std::unexpected(conf.error());
  auto cluster = config::cluster_config(*conf, {});
  if (!cluster) return std::unexpected(cluster.error());
  return Configuration{std::move(*conf), std::move(*cluster)};
}

// One life of slurmctld.
class Controller {
 public:
  explicit Controller(Disk& disk)
      : service_({.host_name = "localhost",
                  .slurm_user = Uid{geteuid()},
                  .slurmd_user = {},
                  .munge_socket = {},
                  .load = configuration,
                  .stop = [] {}},
                 *configuration(), std::make_unique<FakeStore>(disk), nullptr,
                 std::string(32, 's')),
        loop_([this] { service_.advance(); }) {
    auto started = service_.start(loop_, server_options());
    EXPECT_TRUE(started) << started.error().text();
  }
  ~Controller() {
    service_.stop();
    loop_.stop();
    loop_.join();
  }
  io::Channel connect() const {
    auto channel = io::Channel::connect(
        {.unix_path = folder_ / "socket", .server_uid = Uid{geteuid()}}, io::kPatience);
    EXPECT_TRUE(channel) << channel.error().text();
    return std::move(*channel);
  }

 private:
  io::ServerOptions server_options() const {
    io::ServerOptions options;
    options.unix_path = folder_ / "socket";
    options.use_munge = false;
    options.munge_decoder_uid = Uid{geteuid()};
    options.server_name = io::controller_server_name("test");
    return options;
  }

  io::TemporaryFolder folder_;
  Service service_;
  io::Loop loop_;
};

void send(io::Channel& channel, wire::Request request) {
  EXPECT_TRUE(channel.send(encode(wire::RequestFrame{1, std::move(request)})));
}

wire::Answer answer(io::Channel& channel) {
  auto bytes = channel.receive(io::kPatience);
  if (!bytes) return bytes.error();
  auto frame = decode<wire::ReplyFrame>(*bytes);
  if (!frame) return frame.error();
  return frame->answer;
}

wire::SubmitRequest held_job() {
  JobRequest spec;
  spec.name = "held";
  spec.hold = true;
  spec.work_dir = "/";
  spec.num_tasks = 1;
  wire::SubmitRequest request;
  request.spec = Cow<JobRequest>(std::move(spec));
  request.script = "#!/bin/sh\n";
  return request;
}

JobId submitted(const wire::Answer& answer) {
  if (const auto* error = std::get_if<Error>(&answer)) ADD_FAILURE() << error->text();
  const auto* reply = std::get_if<wire::SubmitReply>(&answer);
  return reply ? reply->job : JobId{};
}

std::size_t batches(Disk& disk) {
  return disk.locked<std::size_t>([](Disk& d) { return d.journal.size(); });
}

TEST(Service, AnswersASubmissionOnceItIsOnDisk) {
  Disk disk;
  Controller controller(disk);
  const std::size_t before = batches(disk);
  io::Channel client = controller.connect();
  send(client, held_job());
  EXPECT_EQ(submitted(answer(client)), JobId{1});
  EXPECT_GT(batches(disk), before);
}

TEST(Service, KeepsWhatAFullDiskDoesNotTakeAndRefusesMore) {
  Disk disk;
  Controller controller(disk);
  io::Channel first = controller.connect(), second = controller.connect();
  // What the controller writes at its start is on disk before this answer.
  send(first, held_job());
  ASSERT_EQ(submitted(answer(first)), JobId{1});
  disk.locked<void>([](Disk& d) { d.is_full = true; });
  send(first, held_job());
  ASSERT_TRUE(
      io::eventually([&] { return disk.locked<bool>([](Disk& d) { return d.refused > 0; }); }));
  send(second, held_job());
  const wire::Answer refusal = answer(second);
  ASSERT_TRUE(std::holds_alternative<Error>(refusal));
  EXPECT_EQ(std::get<Error>(refusal).code, ErrorCode::state_storage_full);
  disk.locked<void>([](Disk& d) { d.is_full = false; });
  EXPECT_EQ(submitted(answer(first)), JobId{2});
}

TEST(Service, KnowsItsJobsAfterARestart) {
  Disk disk;
  {
    Controller controller(disk);
    io::Channel client = controller.connect();
    send(client, held_job());
    ASSERT_EQ(submitted(answer(client)), JobId{1});
  }
  Controller controller(disk);
  io::Channel client = controller.connect();
  send(client, held_job());
  EXPECT_EQ(submitted(answer(client)), JobId{2});
  wire::CancelRequest cancel;
  cancel.jobs = {{.job = JobId{1}}};
  send(client, cancel);
  const wire::Answer told = answer(client);
  const auto* reply = std::get_if<wire::CancelReply>(&told);
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->errors.empty());
}

TEST(Service, CutsTheConnectionOfWhoSendsRubbish) {
  Disk disk;
  Controller controller(disk);
  io::Channel rude = controller.connect(), polite = controller.connect();
  ASSERT_TRUE(rude.send("\xff\xff\xff"));
  auto end = rude.receive(io::kPatience);
  EXPECT_FALSE(end);
  send(polite, held_job());
  EXPECT_EQ(submitted(answer(polite)), JobId{1});
}

}  // namespace
}  // namespace muster::daemon
