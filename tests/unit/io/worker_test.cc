#include "io/worker.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

namespace muster::io {
namespace {

TEST(Worker, AnIdleOneLetsTheCallerWork) {
  Worker worker("worker");
  std::thread::id by;
  worker.run([&] { by = std::this_thread::get_id(); });
  EXPECT_EQ(by, std::this_thread::get_id());
}

TEST(Worker, TheCallerAlsoDoesWhatItsWorkPosted) {
  std::vector<int> done;
  Worker worker("worker", [&] { done.push_back(0); });
  worker.run([&] {
    done.push_back(1);
    worker.post([&] { done.push_back(2); });
  });
  EXPECT_EQ(done, (std::vector{1, 0, 2, 0}));
}

TEST(Worker, WhatComesWhileItIsBusyIsDoneLaterAndInOrder) {
  std::vector<int> done;
  std::promise<void> began, may_end;
  Worker worker("worker");
  worker.post([&] {
    began.set_value();
    may_end.get_future().wait();
    done.push_back(1);
  });
  began.get_future().wait();
  worker.run([&] { done.push_back(2); });
  EXPECT_TRUE(worker.has_work_waiting());
  worker.post([&] { done.push_back(3); });
  may_end.set_value();
  worker.stop();
  EXPECT_EQ(done, (std::vector{1, 2, 3}));
}

TEST(Worker, ItsThreadTakesOverWhatTheCallerLeaves) {
  Worker worker("worker");
  std::promise<std::thread::id> last;
  int left = 10;
  std::function<void()> work = [&] {
    if (--left > 0) return worker.post(work);
    last.set_value(std::this_thread::get_id());
  };
  worker.run(work);
  EXPECT_NE(last.get_future().get(), std::this_thread::get_id());
}

TEST(Worker, NeverDoesTwoThingsAtOnce) {
  constexpr int kThreads = 4, kEach = 5000;
  int count = 0;  // without a lock of its own
  Worker worker("worker");
  std::vector<std::thread> callers;
  for (int i = 0; i < kThreads; ++i)
    callers.emplace_back([&, i] {
      for (int k = 0; k < kEach; ++k)
        if (i % 2)
          worker.run([&] { ++count; });
        else
          worker.post([&] { ++count; });
    });
  for (std::thread& caller : callers) caller.join();
  worker.stop();
  EXPECT_EQ(count, kThreads * kEach);
}

}  // namespace
}  // namespace muster::io
