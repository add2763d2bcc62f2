// A Worker runs posted work in order on its thread.
#include "io/loop/worker.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

namespace muster::io {
namespace {

TEST(Worker, WorksOnAThreadOfItsOwnInOrder) {
  std::vector<int> done;
  std::promise<void> began, may_end;
  std::thread::id by;
  Worker worker("worker");
  worker.post([&] {
    by = std::this_thread::get_id();
    began.set_value();
    may_end.get_future().wait();
    done.push_back(1);
  });
  began.get_future().wait();
  worker.post([&] { done.push_back(2); });
  worker.post([&] { done.push_back(3); });
  may_end.set_value();
  worker.stop();
  EXPECT_EQ(done, (std::vector{1, 2, 3}));
  EXPECT_NE(by, std::this_thread::get_id());
}

TEST(Worker, DropsWhatComesAfterItsStop) {
  bool done = false;
  Worker worker("worker");
  worker.stop();
  worker.post([&] { done = true; });
  EXPECT_FALSE(done);
}

TEST(Worker, CallsAgainWhatMemoryDidNotSufficeFor) {
  std::vector<int> calls;
  {
    Worker worker("test");
    worker.post([&] {
      calls.push_back(1);
      if (calls.size() < 3) throw std::bad_alloc();
    });
    worker.post([&] { calls.push_back(2); });
    while (true) {  // stop() gives up what fails
      std::promise<std::size_t> size;
      worker.post([&] { size.set_value(calls.size()); });
      if (size.get_future().get() == 4) break;
    }
  }
  EXPECT_EQ(calls, (std::vector{1, 1, 1, 2}));
}

TEST(Worker, NeverDoesTwoThingsAtOnce) {
  constexpr int kThreads = 4, kEach = 5000;
  int count = 0;  // without a lock of its own
  Worker worker("worker");
  std::vector<std::thread> callers;
  for (int i = 0; i < kThreads; ++i)
    callers.emplace_back([&] {
      for (int k = 0; k < kEach; ++k) worker.post([&] { ++count; });
    });
  for (std::thread& caller : callers) caller.join();
  worker.stop();
  EXPECT_EQ(count, kThreads * kEach);
}

}  // namespace
}  // namespace muster::io
