// Between slurmd and a slurmstepd: commands as packets, some of them with a descriptor.
// slurmd starts a step with one end of a pair. A step whose slurmd has gone away listens in its own
// directory for the next one. The step's end is a file there; slurmd reads it when the socket
// closes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/result.h"
#include "io/net/channel.h"
#include "wire/step_messages.h"

namespace muster::io {

struct StepSignal {
  int number = 0;
  bool leader_only = false;  // the tasks themselves, without their descendants
  bool notice = false;       // what outlives the tasks may go on until the step is ended
  template <class V>
  void fields(V& v) {
    v(1, number);
    v(2, leader_only);
    v(3, notice);
  }
};
struct StepSuspend {
  bool resume = false;
  template <class V>
  void fields(V& v) {
    v(1, resume);
  }
};
struct StepAnnounce {
  std::string suffix;
  bool ends_step = true;  // not where tasks that catch the signal may go on
  template <class V>
  void fields(V& v) {
    v(1, suffix);
    v(280, ends_step);
  }
};
struct StepNotice {  // to be written where the step's errors go
  std::string text;
  template <class V>
  void fields(V& v) {
    v(1, text);
  }
};
struct StepAttach {  // the srun's socket comes along
  wire::AttachRequest request;
  SessionState session;
  template <class V>
  void fields(V& v) {
    v(1, request);
    v(2, session);
  }
};
struct StepHeard {  // the only thing that a step says: it has received a SIGKILL for its processes
  template <class V>
  void fields(V&) {}
};
using StepCommand =
    std::variant<StepSignal, StepSuspend, StepAnnounce, StepAttach, StepNotice, StepHeard>;

struct StepCommandFrame {
  StepCommand command;
  template <class V>
  void fields(V& v) {
    v(1, command);
  }
};
struct ReceivedCommand {
  StepCommand command;
  int fd = -1;  // now the receiver's
};

inline constexpr const char* kStepSocketSuffix = ".socket";

class StepSocket {
 public:
  explicit StepSocket(int fd) : fd_(fd) {}  // takes it over
  StepSocket(StepSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  StepSocket& operator=(StepSocket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~StepSocket() { close(); }

  static Result<std::pair<StepSocket, StepSocket>> pair();
  // Beside the step's file (io/stepd/step_file.h).
  static Result<StepSocket> listen(const std::string& step_file);
  static Result<StepSocket> connect(const std::string& step_file);
  // A peer that is neither root nor this process's user is turned away.
  Result<StepSocket> accept() const;

  int fd() const { return fd_; }
  void close();

  // Never blocks; ErrorCode::timed_out = the other side has not read for long. The descriptor stays
  // the caller's.
  Result<void> send(const StepCommand& command, int fd = -1) const;
  // Nothing = no packet now; ErrorCode::zero_bytes = the other side is gone.
  Result<std::optional<ReceivedCommand>> receive() const;

 private:
  int fd_ = -1;
};

}  // namespace muster::io
