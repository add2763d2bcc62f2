// Loop: one thread that waits for sockets, for time and for work of other threads, and does what is
// ready. What lives on it needs no lock against its own kind. Each round ends with on_drained, and
// with the sending of all that connections were given to send meanwhile: much in a short time is
// one write for each of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace muster::io {

// Has a descriptor on a Loop, and is told there that it is ready.
class Watched {
 public:
  virtual ~Watched() = default;
  virtual void on_ready(std::uint32_t events) = 0;  // EPOLLIN, EPOLLOUT, ...; may be for nothing
};

// Has something to send when the round is over.
class Unsent {
 public:
  virtual ~Unsent() = default;
  virtual void flush() = 0;
};

// Signals are blocked on its thread: whoever spawns a program from there resets its mask.
class Loop {
 public:
  explicit Loop(std::function<void()> on_drained = {});
  ~Loop();  // stops and joins
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // --- on any thread ---
  void post(std::function<void()> work);  // never runs it at once
  void after(std::chrono::microseconds delay, std::function<void()> work);
  // For calls that block (connecting, name service): runs on a small pool.
  void run_blocking(std::function<void()> work);
  // The credentials of peers have threads of their own: nothing else may keep people from coming
  // in. False = too many wait already.
  bool run_check(std::function<void()> work);
  void stop_blocking();  // finishes what runs on the pools, drops what waits
  void stop();
  bool is_here() const;  // whether this is the loop's thread
  // What else to be told of. False = the system has no room for it: the descriptor is to be closed.
  [[nodiscard]] bool watch_for(int fd, std::uint32_t events);

  // --- on its own thread only ---
  std::uint64_t round() const;  // which one this is
  void watch(int fd, std::uint32_t events, std::shared_ptr<Watched> watched);
  // The same in two steps: it belongs to the loop, and then it is told of events. Whoever is gone
  // before the second has cost the system nothing.
  void hold(int fd, std::shared_ptr<Watched> watched);
  [[nodiscard]] bool watch_held(int fd, std::uint32_t events);  // false as above
  void unwatch(int fd);  // before it is closed; one that is held, too
  void flush_later(std::shared_ptr<Unsent> unsent);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::io
