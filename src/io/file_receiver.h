// What slurmd hands, in descriptor 3, to the slurmstepd that receives a file of sbcast; the
// connection comes in 4.
#pragma once

#include <string>
#include <vector>

#include "io/channel.h"
#include "wire/step_messages.h"

namespace muster::io {

inline constexpr const char* kReceiveFile = "--receive-file";

struct FileReceiverSetup {
  wire::FileOffer offer;
  SessionState session;  // its peer is who the file belongs to
  std::vector<Gid> groups;
  bool change_user = false;
  bool needs_grant = true;  // false: a cluster of a single user, who is the peer
  Uid granter;              // the controller's user
  std::string munge_socket;
  wire::NodeAccess access;  // to the nodes below this one
  template <class V>
  void fields(V& v) {
    v(1, offer);
    v(2, session);
    v(3, groups);
    v(4, change_user);
    v(5, needs_grant);
    v(6, granter);
    v(7, munge_socket);
    v(170, access);
  }
};

}  // namespace muster::io
