// Loop: one thread that waits for descriptors, for time and for work of other threads, and does
// what is ready. What lives on it needs no lock against its own kind. Each round ends with
// on_drained and then sends all that connections were given to send during the round: one write for
// each of them.
// Memory may run out: what throws std::bad_alloc, of posted work, timers, on_drained and handlers,
// is called again after a short rest, until it succeeds. So it has to bear to be called again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>

namespace muster::io {

// Is called on the loop when its descriptor is ready.
class FdHandler {
 public:
  virtual ~FdHandler() = default;
  // EPOLLIN, EPOLLOUT, ... A call may come although nothing is ready any more.
  virtual void on_ready(std::uint32_t events) = 0;
};
// One that only calls this function.
std::shared_ptr<FdHandler> call_when_ready(std::function<void()> work);

// Has something to send when the round is over.
class Flushable {
 public:
  virtual ~Flushable() = default;
  virtual void flush() = 0;
};

// Signals are blocked on its thread: a program that is spawned from there needs its mask reset.
class Loop {
 public:
  explicit Loop(std::function<void()> on_drained = {});
  ~Loop();  // stops and joins
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // --- on any thread ---
  void post(std::function<void()> work);  // never runs it at once
  // The only piece of a list that was made while there was memory: this needs none.
  void post_prepared(std::list<std::function<void()>>& work) noexcept;
  void after(std::chrono::microseconds delay, std::function<void()> work);
  // For calls that block (connecting, name service): runs on a small pool.
  void run_blocking(std::function<void()> work);
  // The credentials of peers have threads of their own: nothing else may keep people from coming
  // in. False = too many wait already.
  bool run_check(std::function<void()> work);
  void stop_blocking();  // finishes what runs on the pools, drops what waits
  void stop();           // after this round
  void join();           // waits until its thread has ended; not on that thread
  bool is_here() const;  // whether this is the loop's thread
  // Changes which events the handler is called for. False = the system has no room for it: the
  // descriptor is to be closed.
  [[nodiscard]] bool set_events(int fd, std::uint32_t events);

  // --- on its own thread only ---
  std::uint64_t round() const;  // which one this is
  void watch(int fd, std::uint32_t events, std::shared_ptr<FdHandler> handler);
  // The same in two steps: the loop gets the handler, and later the system is told of the
  // descriptor. One that is closed before that costs no system call.
  void adopt(int fd, std::shared_ptr<FdHandler> handler);
  [[nodiscard]] bool enable(int fd, std::uint32_t events);  // false as above
  void unwatch(int fd);                                     // before it is closed; also if adopted
  void flush_later(std::shared_ptr<Flushable> flushable);
  // The next round begins no later than this, even if nothing happens. Holds for that one alone.
  void wake_within(std::chrono::microseconds delay);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::io
