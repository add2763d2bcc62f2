// The nodes below this one to which it passes a file of sbcast, as the file's owner.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/tree.h"
#include "io/net/channel.h"
#include "wire/step_messages.h"

namespace muster::step {

class FileFollowers {
 public:
  // REQUIRES: this process is the owner's. The offer's branches get an offer each.
  FileFollowers(wire::NodeAccess access, const wire::FileOffer& offer);

  bool anybody_left() const;
  void send(std::string_view frame);  // waits until each has taken it or has answered
  // What the nodes below could not do.
  std::vector<wire::FileFailure> finish();

 private:
  struct Follower {
    Text node;
    std::vector<Text> behind;  // nodes that it passes the file on to
    std::optional<io::Channel> channel;
    std::optional<wire::FileStored> answer;
  };

  void offer_to(const wire::NodeAccess& access, const wire::FileOffer& offer, Section run);
  static void give_up(Follower& follower, const Error& why);
  static void note_early_answer(Follower& follower);
  static void read_answer(Follower& follower);

  std::list<Follower> followers_;
};

}  // namespace muster::step
