// Between srun and the slurmstepds of its step, over the connection that slurmd handed on. The
// first message is AttachRequest, encrypted as on any client connection; after it, frames go both
// ways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/codec/codec.h"
#include "base/containers/secret.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/time.h"
#include "wire/node_messages.h"

namespace muster::wire {

// How processes on the cluster's machines reach its slurmds.
struct NodeAccess {
  Text socket_dir;  // of slurmd.NODE.sock, on which the slurmds of this machine listen
  bool use_munge = true;
  Text munge_socket;  // empty = munge's own default
  Uid slurmd_user;
  Millis timeout{10'000};  // for connecting to one of them
  template <class V>
  void fields(V& v) {
    v(1, socket_dir);
    v(2, use_munge);
    v(3, munge_socket);
    v(4, slurmd_user);
    v(5, timeout);
  }
};

// Wide steps and broadcasts use a tree (base/tree.h): a node that the caller is connected to
// connects to the nodes below it, on the caller's behalf. One such branch of the tree:
struct Branch {
  std::uint32_t place = 0;  // counted as in StepReply
  Text node, address;       // the address without names that would have to be looked up
  std::uint32_t port = 0;
  JobId job;  // of the component of the step, with its key
  Attempt attempt;
  Secret key;
  template <class V>
  void fields(V& v) {
    v(1, place);
    v(2, node);
    v(3, address);
    v(4, port);
    v(5, job);
    v(6, attempt);
    v(7, key);
  }
};
struct Below {
  std::vector<Branch> branches;
  std::uint32_t width = 0;  // of the tree
  template <class V>
  void fields(V& v) {
    v(1, branches);
    v(2, width);
  }
};

struct AttachRequest {  // srun -> slurmd
  StepRef ref;
  Secret key;
  bool wants_output = true, sends_input = true;
  bool exchanges = false;  // only for the tasks' own messages (see Contribution)
  std::uint32_t place = 0;
  Below below;
  template <class V>
  void fields(V& v) {
    v(1, ref);
    v(2, key);
    v(3, wants_output);
    v(4, sends_input);
    v(130, exchanges);
    v(170, place);
    v(171, below);
  }
};

// sbcast -> slurmd: a file for this node. FilePieces follow, the last one empty; slurmd answers
// with FileStored.
struct FileOffer {
  std::string grant;  // the controller's permission (FileGrant); empty in a cluster of one user
  Text path;          // absolute
  std::uint32_t mode = 0;
  bool overwrites = false;
  std::optional<Time> modified, accessed;  // -p
  Below below;                             // nodes to which this node passes it on
  bool makes_directory = false;            // creates the directory of `path` if it is missing
  template <class V>
  void fields(V& v) {
    v(1, grant);
    v(2, path);
    v(3, mode);
    v(4, overwrites);
    v(5, modified);
    v(6, accessed);
    v(170, below);
    v(171, makes_directory);
  }
};
struct FileGrant {  // sealed by munge for the slurmds of the job's nodes
  JobId job;
  Uid uid;
  Gid gid;
  Text nodes;  // a host list
  Time expires;
  Uid owner;  // of the job
  Gid owner_group;
  std::uint64_t memory_mib = 0;  // the job's limit on each node; 0 = no limit
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, uid);
    v(3, gid);
    v(4, nodes);
    v(5, expires);
    v(6, owner);
    v(7, owner_group);
    v(8, memory_mib);
  }
};
struct FilePiece {
  std::string bytes;
  std::uint32_t unpacked_size = 0;  // the size before compression with LZ4; 0 = not compressed
  template <class V>
  void fields(V& v) {
    v(1, bytes);
    v(2, unpacked_size);
  }
};
struct FileFailure {
  Text node;
  int error = 0;  // errno
  std::string text;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, error);
    v(3, text);
  }
};
struct FileStored {
  int error = 0;  // errno
  std::string text;
  std::vector<FileFailure> below;  // nodes that should have got it from this one
  template <class V>
  void fields(V& v) {
    v(1, error);
    v(2, text);
    v(170, below);
  }
};

// The first message to a slurmd.
struct NodeCall {
  std::variant<AttachRequest, FileOffer> call;
  template <class V>
  void fields(V& v) {
    v(1, call);
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
struct StepMessage {  // a line from slurmstepd itself, for srun's stderr
  std::string text;
  bool ends_step = false;  // because a command has ended the step
  template <class V>
  void fields(V& v) {
    v(1, text);
    v(210, ends_step);
  }
};
// The last message: all tasks of this node have ended, and their output was sent.
struct StepFinished {
  template <class V>
  void fields(V&) {}
};
inline constexpr std::uint32_t kNoRank = 0xffffffffu;
struct StepUsage {  // the answer to UsageRequest: what the tasks on this node have used so far
  Usage usage;
  std::vector<std::uint32_t> pids;  // of all its processes
  // Of each process; kNoRank for processes that tasks have started.
  std::vector<std::uint32_t> ranks;
  template <class V>
  void fields(V& v) {
    v(1, usage);
    v(2, pids);
    v(130, ranks);
  }
};

// While the processes of an MPI program start, they exchange messages through their srun. This uses
// a connection of its own, so that a reader that stops reading output does not block it. Places are
// numbered as in StepReply.
struct Contribution {  // answered with Gathered once every place has contributed under this name
  std::string name;
  std::vector<std::uint32_t> places;
  std::string bytes;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, places);
    v(3, bytes);
  }
};
struct Gathered {
  std::string name;
  std::vector<std::string> parts;     // in the order of the places
  std::vector<std::uint32_t> places;  // places that contributed; others ignore the message
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, parts);
    v(210, places);
  }
};
struct Letter {  // from one place to another; srun fills in the sender
  std::uint32_t place = 0;
  std::string bytes;
  template <class V>
  void fields(V& v) {
    v(1, place);
    v(2, bytes);
  }
};
struct StepAborted {  // a task asked to end the whole step
  std::string text;
  template <class V>
  void fields(V& v) {
    v(1, text);
  }
};
struct PlacesLost {  // nothing more will come from these places
  std::vector<std::uint32_t> places;
  std::string text;  // the reason
  bool never_joined = false;
  template <class V>
  void fields(V& v) {
    v(1, places);
    v(2, text);
    v(3, never_joined);
  }
};
using FromStep =
    std::variant<Attached, TaskOutput, TaskStarted, TaskExited, StepMessage, StepFinished,
                 StepUsage, Contribution, Letter, StepAborted, PlacesLost>;

// srun -> step
struct TaskInput {
  std::uint32_t rank = 0xffffffffu;  // the default means all
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
using ToStep = std::variant<TaskInput, TaskSignal, WindowSize, UsageRequest, Gathered, Letter>;

struct FromStepFrame {
  FromStep message;
  std::uint32_t place = 0;  // the sender, as the AttachRequest named it
  template <class V>
  void fields(V& v) {
    v(1, message);
    v(170, place);
  }
};
constexpr std::uint32_t kEveryPlace = 0xffffffffu;
struct ToStepFrame {
  ToStep message;
  std::uint32_t place = kEveryPlace;  // the receiver
  template <class V>
  void fields(V& v) {
    v(1, message);
    v(210, place);
  }
};

}  // namespace muster::wire

MUSTER_DECLARE_CODEC(muster::wire::FromStepFrame)
MUSTER_DECLARE_CODEC(muster::wire::ToStepFrame)
MUSTER_DECLARE_CODEC(muster::wire::NodeCall)
