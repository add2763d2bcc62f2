// The inside of a Loop. Only the loop_*.cc files include this: it brings in Asio.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "io/server.h"

namespace muster::io {

// Threads for calls that block; they start when the first such call comes.
class BlockingPool {
 public:
  explicit BlockingPool(int threads) : threads_max_(threads) {}
  ~BlockingPool() { stop(); }
  void run(std::function<void()> work);
  void stop();  // finishes what runs, drops what waits

 private:
  void work();

  const int threads_max_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  int idle_ = 0;
  bool is_stopped_ = false;
  std::vector<std::thread> threads_;
};

// Has something to send once the loop has done what was ready.
class Unsent {
 public:
  virtual ~Unsent() = default;
  virtual void flush() = 0;
};

struct Loop::Impl {
  explicit Impl(int threads) : context(threads), guard(context.get_executor()) {}

  void start(int threads, const std::function<void()>& body);
  void run_and_drain();
  // Whether what is sent now leaves with what else is sent until the loop has drained.
  bool collects_here() const {
    return on_drained && std::this_thread::get_id() == threads.front().get_id();
  }

  boost::asio::io_context context;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard;
  std::function<void()> on_drained;
  std::vector<std::shared_ptr<Unsent>> unsent;  // on the one thread of a loop that drains
  BlockingPool blocking{8};
  std::vector<std::thread> threads;
};

}  // namespace muster::io
