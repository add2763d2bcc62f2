// The nodes below this one in the tree of sbcast, to which it passes the file as the file's owner.
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
  // REQUIRES: this process runs as the owner. Each branch of the offer gets an offer of its own.
  FileFollowers(wire::NodeAccess access, const wire::FileOffer& offer);

  bool anybody_left() const;
  void send(std::string_view frame);  // waits until every node has taken it or has answered
  // The failures of the nodes below.
  std::vector<wire::FileFailure> finish();

 private:
  struct Follower {
    Text node;
    std::vector<Text> behind;  // nodes to which it passes the file on
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
