// Loop: one thread that waits for descriptors, timers and work of other threads, and handles what
// is ready. Objects that are used only on the loop need no locks. Each round ends with on_drained;
// then everything that connections were given during the round is sent, with one write per
// connection.
// If work, a timer, a handler or on_drained throws std::bad_alloc, it is called again after a short
// rest, until it succeeds. So each of them has to bear to be called again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>

namespace muster::io {

// Called on the loop when its descriptor is ready.
class FdHandler {
 public:
  virtual ~FdHandler() = default;
  // EPOLLIN, EPOLLOUT, ... May be called although nothing is ready any more.
  virtual void on_ready(std::uint32_t events) = 0;
};
// A handler that only calls this function.
std::shared_ptr<FdHandler> call_when_ready(std::function<void()> work);

// Has something to send at the end of the round.
class Flushable {
 public:
  virtual ~Flushable() = default;
  virtual void flush() = 0;
};

// Signals are blocked on its thread: a program that is started from there needs its mask reset.
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
  // Runs checks of peers' credentials, which have threads of their own so that nothing else can
  // keep peers from connecting. False = too many checks wait.
  bool run_check(std::function<void()> work);
  void stop_blocking();  // finishes running calls, drops waiting ones
  void stop();           // after this round
  void join();           // waits until its thread has ended; not from that thread
  bool is_here() const;  // whether this is the loop's thread
  // Changes the events for which the handler is called. False = the system has no room for the
  // descriptor: it must be closed.
  [[nodiscard]] bool set_events(int fd, std::uint32_t events);

  // --- on its own thread only ---
  std::uint64_t round() const;  // the number of this round
  void watch(int fd, std::uint32_t events, std::shared_ptr<FdHandler> handler);
  // The same in two steps: adopt() stores the handler, and enable() later registers the descriptor
  // with the system. A descriptor that is closed in between costs no system call.
  void adopt(int fd, std::shared_ptr<FdHandler> handler);
  [[nodiscard]] bool enable(int fd, std::uint32_t events);  // false as above
  void unwatch(int fd);  // call it before closing the descriptor, even if only adopted
  void flush_later(std::shared_ptr<Flushable> flushable);
  // The next round begins no later than this, even if nothing happens. Applies to that round only.
  void wake_within(std::chrono::microseconds delay);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::io
