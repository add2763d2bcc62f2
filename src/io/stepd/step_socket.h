// The connection between slurmd and a slurmstepd: commands as packets, some of them with a
// descriptor. slurmd starts a step with one end of a socket pair. If its slurmd goes away, the step
// listens in its own directory for the next one. The step's end is a file there, which slurmd reads
// when the socket closes.
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
  bool notice = false;       // processes that outlive the tasks may go on until the step is ended
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
  bool ends_step = true;  // false if tasks that catch the signal may go on
  template <class V>
  void fields(V& v) {
    v(1, suffix);
    v(280, ends_step);
  }
};
struct StepNotice {  // a text for the step's error output
  std::string text;
  template <class V>
  void fields(V& v) {
    v(1, text);
  }
};
struct StepAttach {  // with the srun's socket
  wire::AttachRequest request;
  SessionState session;
  template <class V>
  void fields(V& v) {
    v(1, request);
    v(2, session);
  }
};
struct StepHeard {  // the only message from a step: it has received a SIGKILL for its processes
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
  int fd = -1;  // owned by the receiver
};

inline constexpr const char* kStepSocketSuffix = ".socket";

class StepSocket {
 public:
  explicit StepSocket(int fd) : fd_(fd) {}  // owns it
  StepSocket(StepSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  StepSocket& operator=(StepSocket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~StepSocket() { close(); }

  static Result<std::pair<StepSocket, StepSocket>> pair();
  // Listens next to the step's file (io/stepd/step_file.h).
  static Result<StepSocket> listen(const std::string& step_file);
  static Result<StepSocket> connect(const std::string& step_file);
  // Refuses a peer that is neither root nor this process's user.
  Result<StepSocket> accept() const;

  int fd() const { return fd_; }
  void close();

  // Never blocks. ErrorCode::timed_out = the other side has not read for long. The caller keeps the
  // descriptor.
  Result<void> send(const StepCommand& command, int fd = -1) const;
  // Nothing = no packet yet. ErrorCode::zero_bytes = the other side has gone.
  Result<std::optional<ReceivedCommand>> receive() const;

 private:
  int fd_ = -1;
};

}  // namespace muster::io
