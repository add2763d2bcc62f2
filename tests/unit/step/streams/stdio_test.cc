// The streams of a step's tasks, and the sruns that read and feed them.
#include "step/streams/stdio.h"

#include <csignal>
#include <memory>
#include <vector>

#include "step/streams/fixture.h"

namespace muster::step {
namespace {

constexpr std::uint32_t kRank = 3;

// A task, whose ends of the pipes the test holds.
struct Step {
  explicit Step(StepSetup made = setup_of({kRank}), const TaskFiles& labelled = {})
      : setup(std::move(made)),
        stdio(
            setup, [this](int number) { signals.push_back(number); },
            [] { return wire::StepUsage{.usage = {}, .pids = {42}, .ranks = {kRank}}; }) {
    tasks.push_back({.rank = kRank, .pid = 42});
    stdio.add_task(tasks.front(), {.in = in.release(in.writer()), .out = out.release(out.reader())},
                   labelled);
  }
  void attach(Srun& srun) { stdio.attach(srun.step_end, srun.request, srun.session, tasks); }
  void print(const std::string& text) {
    ASSERT_EQ(write(out.writer(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // Does everything that can be done now.
  void settle() {
    do {
      io::PollSet set;
      stdio.watch(set);
      if (set.wait(0) <= 0) return;
    } while (true);
  }

  StepSetup setup;
  std::vector<int> signals;
  std::vector<Task> tasks;
  TaskPipe in, out;
  Stdio stdio;
};

// What the srun gets of the tasks' output, up to this many bytes.
std::string output(Step& step, Srun& srun, std::size_t bytes) {
  std::string all;
  run_until(step.stdio, [&] {
    while (auto printed = srun.next<wire::TaskOutput>()) all += printed->bytes;
    return all.size() >= bytes;
  });
  return all;
}

// Writes as much as the pipe takes while the step does what it can. Returns the number of bytes.
std::size_t print_all_that_fits(Step& step) {
  const std::string block(64u << 10, 'x');
  std::size_t sum = 0;
  while (true) {
    step.settle();
    const ssize_t count = write(step.out.writer(), block.data(), block.size());
    if (count < 0) return sum;
    sum += static_cast<std::size_t>(count);
  }
}

TEST(Stdio, SendsAnSrunWhatItsTasksPrint) {
  Step step;
  Srun srun;
  step.attach(srun);
  auto started = srun.next<wire::TaskStarted>();
  ASSERT_TRUE(started);
  EXPECT_EQ(started->rank, kRank);
  step.print("hello");
  EXPECT_EQ(output(step, srun, 5), "hello");
}

TEST(Stdio, LeavesOutputInThePipeUntilAnSrunHasCome) {
  Step step;
  step.print("hello");
  step.settle();
  EXPECT_FALSE(step.stdio.drained());
  Srun srun;
  step.attach(srun);
  EXPECT_EQ(output(step, srun, 5), "hello");
}

TEST(Stdio, SlowsTasksDownToWhatTheirSrunTakes) {
  Step step;
  Srun srun;
  step.attach(srun);
  const std::size_t printed = print_all_that_fits(step);
  EXPECT_GE(printed, 1u << 20) << "so much is kept for it";
  EXPECT_LT(printed, 4u << 20) << "and not more: the pipe is full";
  EXPECT_EQ(output(step, srun, printed).size(), printed) << "nothing was lost";
  EXPECT_EQ(write(step.out.writer(), "x", 1), 1) << "there is room again";
}

TEST(Stdio, DropsOutputOnceTheSrunHasGone) {
  Step step;
  {
    Srun srun;
    step.attach(srun);
  }
  step.print("nobody reads this");
  TaskPipe::hang_up(step.out.writer());
  EXPECT_TRUE(run_until(step.stdio, [&] { return step.stdio.drained(); }));
}

TEST(Stdio, TheTasksGoWithTheSrunThatTheyAreFor) {
  Step step;
  auto owner = std::make_unique<Srun>(), onlooker = std::make_unique<Srun>();
  step.attach(*owner);
  step.attach(*onlooker);
  onlooker.reset();
  step.settle();
  EXPECT_TRUE(step.signals.empty());
  owner.reset();
  EXPECT_TRUE(run_until(step.stdio, [&] { return !step.signals.empty(); }));
  EXPECT_EQ(step.signals, std::vector{SIGKILL});
}

TEST(Stdio, ANewcomerIsShownWhatWasPrintedLast) {
  Step step;
  Srun owner, onlooker;
  step.attach(owner);
  step.print("early");
  EXPECT_EQ(output(step, owner, 5), "early");
  step.attach(onlooker);
  EXPECT_EQ(output(step, onlooker, 5), "early");
}

TEST(Stdio, RefusesAnSrunWithoutTheKey) {
  Step step;
  Srun srun;
  srun.request.key = "kez";
  step.attach(srun);
  EXPECT_FALSE(step.stdio.has_client());
  auto said = srun.next<wire::StepMessage>();
  ASSERT_TRUE(said);
  EXPECT_EQ(said->text, "slurmstepd: error: the key of this step was not proved");
}

TEST(Stdio, RefusesAnotherUserEvenWithTheKey) {
  Step step;
  Srun srun;
  srun.session.peer_uid = Uid{1001};
  step.attach(srun);
  EXPECT_FALSE(step.stdio.has_client());
  auto said = srun.next<wire::StepMessage>();
  ASSERT_TRUE(said);
  EXPECT_EQ(said->text, "slurmstepd: error: this step is another user's");
}

TEST(Stdio, GivesNumbersToOneThatOnlyWatches) {
  Step step;
  Srun sstat;
  sstat.request.key = "watch";
  sstat.request.wants_output = sstat.request.sends_input = false;
  step.attach(sstat);
  sstat.send(wire::UsageRequest{});
  sstat.send(wire::TaskSignal{SIGTERM});
  std::optional<wire::StepUsage> usage;
  run_until(step.stdio, [&] { return (usage = sstat.next<wire::StepUsage>()).has_value(); });
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->pids, std::vector<std::uint32_t>{42});
  step.settle();
  EXPECT_TRUE(step.signals.empty()) << "it may not send signals";
  EXPECT_FALSE(step.stdio.had_client());
}

TEST(Stdio, FeedsATaskAndEndsItsInput) {
  Step step;
  Srun srun;
  step.attach(srun);
  srun.send(wire::TaskInput{kRank, "hello"});
  srun.send(wire::TaskInput{kRank, {}});
  char buffer[16];
  ssize_t count = -1;
  run_until(step.stdio,
            [&] { return (count = read(step.in.reader(), buffer, sizeof buffer)) >= 0; });
  ASSERT_EQ(count, 5);
  EXPECT_EQ(std::string(buffer, 5), "hello");
  EXPECT_TRUE(
      run_until(step.stdio, [&] { return read(step.in.reader(), buffer, sizeof buffer) == 0; }));
}

TEST(Stdio, ReadsNoMoreInputThanATaskMayLeaveUnread) {
  Step step;
  Srun srun;
  step.attach(srun);
  const std::string block(64u << 10, 'x');
  std::size_t sent = 0;
  while (srun.channel.queued_bytes() == 0) {
    srun.send(wire::TaskInput{kRank, block});
    sent += block.size();
    step.settle();
    ASSERT_LT(sent, 16u << 20) << "all of it is kept somewhere";
  }
  EXPECT_GE(sent, 1u << 20);
  // When the task reads at last, it gets every byte.
  std::size_t got = 0;
  std::string buffer(block.size(), 0);
  EXPECT_TRUE(run_until(step.stdio, [&] {
    (void)srun.channel.try_flush();
    const ssize_t count = read(step.in.reader(), buffer.data(), buffer.size());
    if (count > 0) got += static_cast<std::size_t>(count);
    return got == sent;
  }));
}

TEST(Stdio, WritesLabelledLinesToAFile) {
  TaskPipe file;
  Step step(setup_of({kRank}), {.out = file.writer()});
  step.print("one\ntw");
  step.print("o\n");
  TaskPipe::hang_up(step.out.writer());
  ASSERT_TRUE(run_until(step.stdio, [&] { return step.stdio.drained(); }));
  char buffer[64];
  const ssize_t count = read(file.reader(), buffer, sizeof buffer);
  ASSERT_GT(count, 0);
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(count)), "3: one\n3: two\n");
}

TEST(Stdio, CutsTheConnectionOfWhoSendsRubbish) {
  Step step;
  Srun srun;
  step.attach(srun);
  srun.channel.queue("\xff\xff\xff");
  ASSERT_TRUE(srun.channel.try_flush());
  EXPECT_TRUE(run_until(step.stdio, [&] { return !step.stdio.has_client(); }));
}

}  // namespace
}  // namespace muster::step
