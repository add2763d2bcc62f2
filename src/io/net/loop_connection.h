// Connection: one connected socket on a Loop: whole frames in, queued frames out. Server and Dialer
// are built on it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "io/loop/loop.h"
#include "io/net/frame.h"

namespace muster::io {

// Reasons to stop reading from a connection for a while. To the peer this looks like a slow
// network.
enum class Pause : std::uint8_t {
  output = 1,  // the peer has not read much of what was sent to it
  turn = 2,    // its user has used up the time on the loop in this round
  room = 4,    // its user's other messages take all memory that the user may have
  work = 8,    // its request is being worked on
};

// Bytes that wait to be sent: to one user, and to all users.
struct QueuedBytes {
  std::atomic<std::size_t> own{0};
  std::shared_ptr<std::atomic<std::size_t>> all = std::make_shared<std::atomic<std::size_t>>(0);
};

class Connection {
 public:
  struct Handlers {  // called on the loop
    std::function<void(std::string frame)> on_frame;
    std::function<void(const Error& why)> on_end;  // last call; not after release()
    // Called for each frame before it is taken: once its length is known, and again when it is
    // whole. False means that pause() was called; the call is repeated after resume().
    std::function<bool(std::size_t bytes, bool is_whole)> may_take = {};
  };
  // How long the connection has been waiting, and for what; 0 = it is not waiting. Any thread.
  struct Waiting {
    Millis for_a_frame{0};     // since the last whole frame
    Millis for_the_rest{0};    // of a frame that has only partly arrived
    Millis for_the_socket{0};  // to take queued bytes; after close(), for the peer to close
  };

  // Takes ownership of the non-blocking fd. Nothing happens before start().
  // Shared by its owner and by its pending work on the loop.
  static std::shared_ptr<Connection> create(Loop& loop, int fd, SessionState state,
                                            std::size_t max_frame_bytes,
                                            std::size_t max_queued_bytes);
  virtual ~Connection() = default;
  virtual void start(Handlers handlers) = 0;  // on the loop; reads what is there already

  virtual void send(std::string frame) = 0;  // any thread; if it does not fit, the connection ends
  virtual std::size_t unsent_bytes() const = 0;  // any thread
  virtual void close() = 0;                      // any thread; after queued frames are sent
  // Any thread. Like close(), for a peer that sends no more: nothing more is read from it.
  virtual void finish() = 0;
  virtual void abort(Error why) = 0;                 // any thread; soon
  virtual void run(std::function<void()> work) = 0;  // any thread; on the loop
  virtual Waiting waiting() const = 0;
  virtual bool is_over() const = 0;  // any thread

  // On the loop. Pausing twice for the same reason counts once.
  virtual void pause(Pause why) = 0;
  virtual void resume(Pause why) = 0;  // not within a handler: delivers what was read
  virtual bool is_paused() const = 0;
  // From now on queued bytes are counted there.
  virtual void count_queued(std::shared_ptr<QueuedBytes> queued) = 0;
  // From now on nothing is read while much is queued (Pause::output). Not for connections on which
  // both ends send unasked: they could wait for each other.
  virtual void pause_when_unread() = 0;

  // Only within a handler or run():
  virtual Session& session() = 0;
  virtual std::pair<int, SessionState> release() = 0;  // fd < 0 if it has ended
};

}  // namespace muster::io
