// The slurmstepds of a node as slurmd sees them: which it finds after a restart, what it tells
// them, and how it learns that they have ended. Programs of these tests replace slurmstepd.
#include "slurmd/steps.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <memory>
#include <string>

#include "io/files.h"
#include "io/loop/loop.h"
#include "io/net_fixture.h"

namespace muster {
namespace {

const wire::StepRef kStep{JobId{7}, Attempt{1}, StepId{0}};
constexpr Time kNow{Seconds{1000}};

class Steps : public testing::Test {
 protected:
  Steps() {
    EXPECT_TRUE(io::make_directories(spool() + "/steps", 0700));
    steps_ =
        std::make_unique<SlurmdSteps>(loop_, spool(), stepd(), Seconds{60},
                                      [this](wire::StepEnd end) { ended_.put(std::move(end)); });
  }
  ~Steps() override {
    loop_.stop();
    loop_.join();
  }
  std::string spool() const { return folder_ / "spool"; }
  std::string stepd() const { return folder_ / "slurmstepd"; }
  std::string file() const { return spool() + "/steps/" + io::step_file_name(kStep); }
  void stepd_is(const std::string& script) {
    ASSERT_TRUE(io::write_file_atomic(stepd(), "#!/bin/sh\n" + script + "\n", 0700));
  }
  // Runs the work on the loop.
  template <class Work>
  auto on_loop(Work work) {
    std::promise<decltype(work())> done;
    loop_.post([&] { done.set_value(work()); });
    return done.get_future().get();
  }
  SlurmdSteps::Found recover(const std::string& boot_id = "boot") {
    return on_loop([&] { return steps_->recover(kNow, boot_id); });
  }
  // A step file as its slurmstepd keeps it: locked until the descriptor is closed.
  int make_file(const io::StepNote& note) {
    io::StepFiles files(spool() + "/steps");
    auto fd = files.create(io::step_file_name(kStep));
    EXPECT_TRUE(fd);
    EXPECT_TRUE(io::write_step_note(*fd, note));
    return *fd;
  }

  io::TemporaryFolder folder_;
  io::Mailbox<wire::StepEnd> ended_;
  io::Loop loop_;
  std::unique_ptr<SlurmdSteps> steps_;
};

TEST_F(Steps, OneWhoseProcessLeavesNoEndHasCrashed) {
  stepd_is("exit 0");
  StepSetup setup;
  setup.launch.ref = kStep;
  setup.launch.uid = Uid{1000};
  ASSERT_TRUE(on_loop([&] { return steps_->spawn(setup); }));
  auto end = ended_.take();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->ref, kStep);
  EXPECT_EQ(end->exit_status, static_cast<std::uint32_t>(SIGKILL));
  EXPECT_EQ(end->failure, "slurmstepd ended unexpectedly");
  EXPECT_FALSE(on_loop([&] { return steps_->user_of(kStep); })) << "it does not run any more";
}

TEST_F(Steps, OneThatCannotBeStartedLeavesNothingBehind) {
  StepSetup setup;
  setup.launch.ref = kStep;
  EXPECT_FALSE(on_loop([&] { return steps_->spawn(setup); })) << "there is no such program";
  EXPECT_FALSE(io::exists(file()));
  stepd_is("exit 0");
  EXPECT_TRUE(on_loop([&] { return steps_->spawn(setup); })) << "and may be tried again";
  EXPECT_TRUE(ended_.take());
}

TEST_F(Steps, OneOfAnEarlierStartIsFoundWithItsUser) {
  const int lock = make_file({.pid = 1, .boot_id = "boot", .uid = Uid{1000}});
  auto found = recover();
  ASSERT_EQ(found.running.size(), 1u);
  EXPECT_EQ(found.running.front(), kStep);
  EXPECT_TRUE(found.ended.empty());
  EXPECT_EQ(on_loop([&] { return steps_->user_of(kStep); }), Uid{1000});
  close(lock);
}

TEST_F(Steps, OneThatEndedMeanwhileIsFoundWithItsEnd) {
  const int lock = make_file({.boot_id = "boot"});
  wire::StepEnd end;
  end.ref = kStep;
  end.exit_status = 3 << 8;
  ASSERT_TRUE(io::write_step_end(lock, end));
  close(lock);
  auto found = recover();
  EXPECT_TRUE(found.running.empty());
  ASSERT_EQ(found.ended.size(), 1u);
  EXPECT_EQ(found.ended.front().exit_status, 3u << 8);
}

TEST_F(Steps, OneOfAnotherBootIsOver) {
  close(make_file({.boot_id = "an earlier boot", .started = kNow - Seconds{5}}));
  auto found = recover();
  ASSERT_EQ(found.ended.size(), 1u);
  EXPECT_EQ(found.ended.front().failure, "the node was rebooted");
  EXPECT_EQ(found.ended.front().started, kNow - Seconds{5});
}

TEST_F(Steps, OneThatWasNeverStartedIsForgotten) {
  io::StepFiles files(spool() + "/steps");
  auto fd = files.create(io::step_file_name(kStep));
  ASSERT_TRUE(fd);
  close(*fd);
  auto found = recover();
  EXPECT_TRUE(found.running.empty() && found.ended.empty());
  EXPECT_FALSE(io::exists(file()));
}

TEST_F(Steps, CommandsWaitUntilTheirStepListens) {
  const int lock = make_file({.boot_id = "boot", .uid = Uid{1000}});
  recover();
  ASSERT_TRUE(on_loop([&] { return steps_->command(kStep, io::StepNotice{"first"}); }));
  ASSERT_TRUE(on_loop([&] { return steps_->command(kStep, io::StepNotice{"second"}); }));
  EXPECT_TRUE(on_loop([&] { return steps_->wants_retry(); }));
  auto listener = io::StepSocket::listen(file());
  ASSERT_TRUE(listener);
  const bool is_left = on_loop([&] {
    steps_->retry_connections();
    return steps_->wants_retry();
  });
  EXPECT_FALSE(is_left);
  auto socket = listener->accept();
  ASSERT_TRUE(socket);
  for (const char* text : {"first", "second"}) {
    auto received = socket->receive();
    ASSERT_TRUE(received && *received);
    EXPECT_EQ(std::get<io::StepNotice>((*received)->command).text, text);
  }
  close(lock);
}

TEST_F(Steps, AConnectionIsNotKeptForAStepThatDoesNotListen) {
  const int lock = make_file({.boot_id = "boot"});
  recover();
  const int connection = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_FALSE(on_loop([&] { return steps_->command(kStep, io::StepNotice{}, connection); }));
  close(connection);
  close(lock);
}

TEST_F(Steps, NobodyCommandsAStepThatIsNotHere) {
  EXPECT_FALSE(on_loop([&] { return steps_->command(kStep, io::StepSignal{SIGTERM}); }));
}

TEST_F(Steps, TheEndOfOneThatWasFoundIsToldWhenItHangsUp) {
  const int lock = make_file({.boot_id = "boot"});
  recover();
  auto listener = io::StepSocket::listen(file());
  ASSERT_TRUE(listener);
  on_loop([&] {
    steps_->retry_connections();
    return true;
  });
  wire::StepEnd end;
  end.ref = kStep;
  ASSERT_TRUE(io::write_step_end(lock, end));
  auto socket = listener->accept();
  ASSERT_TRUE(socket);
  socket->close();
  auto told = ended_.take();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->exit_status, 0u);
  close(lock);
}

}  // namespace
}  // namespace muster
