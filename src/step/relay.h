// The nodes below this one in the tree of a wide step: their part of the step speaks with the srun
// through here. Frames pass as they came, in their order. What is kept is bounded: nothing is read
// from below while the srun does not take it, and the caller looks at queued_bytes() before it
// reads more from above.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <set>
#include <string>
#include <string_view>

#include "base/tree.h"
#include "io/channel.h"
#include "step/poll_set.h"
#include "wire/step_messages.h"

namespace muster::step {

class Relay {
 public:
  // Takes a frame for the srun; false while it has enough of them.
  struct Up {
    std::function<void(std::string_view frame)> send;
    std::function<bool()> has_room;
  };

  // `request`: the srun's own, whose branches are connected in its place. Waits for that, all at
  // the same time; those that cannot be reached are told to be lost.
  Relay(const wire::NodeAccess& access, const wire::AttachRequest& request, Up up);

  void pass_down(std::string_view frame);
  void pass_to(std::uint32_t place, std::string_view frame);
  std::size_t queued_bytes() const;  // to the one that is most behind
  bool is_done() const;

  void watch(PollSet& set);

 private:
  struct Child {
    io::Channel channel;
    std::set<std::uint32_t> places;  // not finished yet
    bool gone = false;
    bool held_back = false;  // may have whole frames that no poll would tell of
  };

  void join(const wire::NodeAccess& access, const wire::AttachRequest& request);
  void flush(Child& child);
  void read(Child& child);
  void note(Child& child, std::string_view frame);
  void lose(Child& child, const Error& why);
  void lose(const std::set<std::uint32_t>& places, const std::string& why, bool never_joined);

  std::uint32_t place_;
  Up up_;
  std::list<Child> children_;
};

}  // namespace muster::step
