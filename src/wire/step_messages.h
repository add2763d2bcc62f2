// Between srun and the slurmstepds of its step, over the connection that slurmd handed on. The
// first message is AttachRequest, sealed like any other client connection; then frames in both
// directions.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/codec.h"
#include "base/ids.h"
#include "base/text.h"
#include "wire/node_messages.h"

namespace muster::wire {

struct AttachRequest {  // srun -> slurmd
  StepRef ref;
  std::string key;
  bool wants_output = true, sends_input = true;
  template <class V>
  void fields(V& v) {
    v(1, ref);
    v(2, key);
    v(3, wants_output);
    v(4, sends_input);
  }
};

// step -> srun
struct Attached {
  std::uint32_t tasks = 0;
  template <class V>
  void fields(V& v) {
    v(1, tasks);
  }
};
struct TaskOutput {
  std::uint32_t rank = 0;
  bool is_stderr = false;
  std::string bytes;  // empty = end of this stream
  template <class V>
  void fields(V& v) {
    v(1, rank);
    v(2, is_stderr);
    v(3, bytes);
  }
};
struct TaskStarted {
  std::uint32_t rank = 0;
  std::uint32_t pid = 0;
  template <class V>
  void fields(V& v) {
    v(1, rank);
    v(2, pid);
  }
};
struct TaskExited {
  std::uint32_t rank = 0;
  std::uint32_t wait_status = 0;
  bool out_of_memory = false;
  template <class V>
  void fields(V& v) {
    v(1, rank);
    v(2, wait_status);
    v(3, out_of_memory);
  }
};
struct StepMessage {  // a line that slurmstepd itself has to say, for srun's stderr
  std::string text;
  template <class V>
  void fields(V& v) {
    v(1, text);
  }
};
struct StepFinished {  // the last message: every task of this node has ended and its output was
                       // sent
  template <class V>
  void fields(V&) {}
};
struct StepUsage {  // the answer to UsageRequest: what the tasks here have used so far
  Usage usage;
  std::vector<std::uint32_t> pids;  // of all its processes
  template <class V>
  void fields(V& v) {
    v(1, usage);
    v(2, pids);
  }
};
using FromStep = std::variant<Attached, TaskOutput, TaskStarted, TaskExited, StepMessage,
                              StepFinished, StepUsage>;

// srun -> step
struct TaskInput {
  std::uint32_t rank = 0xffffffffu;  // all
  std::string bytes;                 // empty = end of input
  template <class V>
  void fields(V& v) {
    v(1, rank);
    v(2, bytes);
  }
};
struct TaskSignal {
  int signal = 0;
  template <class V>
  void fields(V& v) {
    v(1, signal);
  }
};
struct WindowSize {
  std::uint16_t rows = 0, columns = 0;
  template <class V>
  void fields(V& v) {
    v(1, rows);
    v(2, columns);
  }
};
struct UsageRequest {
  template <class V>
  void fields(V&) {}
};
using ToStep = std::variant<TaskInput, TaskSignal, WindowSize, UsageRequest>;

struct FromStepFrame {
  FromStep message;
  template <class V>
  void fields(V& v) {
    v(1, message);
  }
};
struct ToStepFrame {
  ToStep message;
  template <class V>
  void fields(V& v) {
    v(1, message);
  }
};

}  // namespace muster::wire

MUSTER_DECLARE_CODEC(muster::wire::FromStepFrame)
MUSTER_DECLARE_CODEC(muster::wire::ToStepFrame)
