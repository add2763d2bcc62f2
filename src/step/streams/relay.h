// The nodes below this one in the tree of a wide step, whose streams pass through here. Frames are
// passed on unchanged and in order. Memory is bounded: nothing is read from below while the srun
// does not read, and the caller checks queued_bytes() before it reads more from above.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/tree.h"
#include "io/loop/poll_set.h"
#include "io/net/channel.h"
#include "step/streams/dials.h"
#include "wire/step_messages.h"
#include "wire/step_setup.h"

namespace muster::step {

class Relay {
 public:
  // Takes a frame for the srun; has_room is false while too much is queued for it.
  struct Up {
    std::function<void(std::string_view frame)> send;
    std::function<bool()> has_room;
  };

  // `request` is the srun's own: its branches are connected on the srun's behalf, as its user. That
  // happens in the background; nodes that cannot be reached are reported as lost. REQUIRES: the
  // request has branches, and check_below() accepts them.
  Relay(const StepSetup& setup, const wire::AttachRequest& request, Up up);

  void pass_down(std::string_view frame);
  void pass_to(std::uint32_t place, std::string_view frame);
  std::size_t queued_bytes() const;  // of the node that is furthest behind
  bool is_done() const;

  void watch(io::PollSet& set);

 private:
  struct Child {
    std::set<std::uint32_t> places;           // of nodes that have not finished
    std::optional<io::Channel> channel = {};  // none = not connected yet
    std::deque<std::string> early = {};       // frames for the time when it is connected
    std::size_t early_bytes = 0;
    bool gone = false;
    bool held_back = false;  // poll does not report whole frames that are in memory
  };

  void join();  // takes over the connections made so far
  void pass(Child& child, std::string_view frame);
  void flush(Child& child);
  void read(Child& child);
  void note(Child& child, std::string_view frame);
  void lose(Child& child, const Error& why);

  std::uint32_t place_;
  Up up_;
  std::vector<Child> children_;  // in the order of the calls of dials_
  Dials dials_;
  std::size_t undecided_;  // calls without a result yet
};

}  // namespace muster::step
