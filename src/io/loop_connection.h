// One connection on a Loop, once the socket exists: whole frames in, queued frames out. Server and
// Dialer are built of it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "io/frame.h"
#include "io/loop.h"

namespace muster::io {

class Connection {
 public:
  struct Handlers {  // called on the loop
    std::function<void(std::string frame)> on_frame;
    std::function<void(const Error& why)> on_end;  // last call; not after release()
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

  // Only from within a handler or run():
  virtual Session& session() = 0;
  virtual std::pair<int, SessionState> release() = 0;  // fd < 0 if it has ended
};

}  // namespace muster::io
