// One connection on a Loop, once the socket exists: whole frames in, queued frames out. Server and
// Dialer are built of it.
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

// Why nothing is read from a connection for the time being. Its peer then waits, as with a slow
// network.
enum class Pause : std::uint8_t {
  output = 1,  // much of what was sent to it has not been read
  turn = 2,    // its user has had his time on the loop in this round
  room = 4,    // its user's other messages take the memory that there is for him
  work = 8,    // what it has asked for is being worked on
};

// Bytes that wait to be sent, of one user and of all.
struct QueuedBytes {
  std::atomic<std::size_t> own{0};
  std::shared_ptr<std::atomic<std::size_t>> all = std::make_shared<std::atomic<std::size_t>>(0);
};

class Connection {
 public:
  struct Handlers {  // called on the loop
    std::function<void(std::string frame)> on_frame;
    std::function<void(const Error& why)> on_end;  // last call; not after release()
    // Asked for each frame before it is taken, once its length is known and again when it is
    // whole. False: pause() was called, and the frame is asked for again after resume().
    std::function<bool(std::size_t bytes, bool is_whole)> may_take = {};
  };
  // How long it has waited for what, in milliseconds; 0 = not at all. Any thread.
  struct Waiting {
    Millis for_a_frame{0};     // since the last whole frame
    Millis for_the_rest{0};    // of a frame that has begun
    Millis for_the_socket{0};  // to take queued bytes, or for the peer's end after close()
  };

  // Takes the fd over (non-blocking). Nothing happens before start().
  // Shared: by its owner and by what the loop has to do for it.
  static std::shared_ptr<Connection> create(Loop& loop, int fd, SessionState state,
                                            std::size_t max_frame_bytes,
                                            std::size_t max_queued_bytes);
  virtual ~Connection() = default;
  virtual void start(Handlers handlers) = 0;  // on the loop; hands over what is there already

  virtual void send(std::string frame) = 0;  // any thread; what does not fit ends the connection
  virtual std::size_t unsent_bytes() const = 0;  // any thread
  virtual void close() = 0;                      // any thread; when what is queued was sent
  // Any thread; the same for a peer that sends no more: nothing is read from it, or awaited.
  virtual void finish() = 0;
  virtual void abort(Error why) = 0;                 // any thread; soon
  virtual void run(std::function<void()> work) = 0;  // any thread; on the loop
  virtual Waiting waiting() const = 0;
  virtual bool is_over() const = 0;  // any thread

  // On the loop. A reason counts once.
  virtual void pause(Pause why) = 0;
  virtual void resume(Pause why) = 0;  // not from within a handler: goes on with what was read
  virtual bool is_paused() const = 0;
  // What is queued is counted there from now on.
  virtual void count_queued(std::shared_ptr<QueuedBytes> queued) = 0;
  // From now on nothing is read while much is queued (Pause::output). Not for two ends that tell
  // each other things unasked: each would wait for the other.
  virtual void pause_when_unread() = 0;

  // Only from within a handler or run():
  virtual Session& session() = 0;
  virtual std::pair<int, SessionState> release() = 0;  // fd < 0 if it has ended
};

}  // namespace muster::io
