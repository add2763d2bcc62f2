// What slurmd passes, in descriptor 3, to the slurmstepd that receives a file of sbcast. The
// connection is in descriptor 4.
#pragma once

#include <string>
#include <vector>

#include "io/net/channel.h"
#include "model/node/confinement.h"
#include "wire/step_messages.h"

namespace muster::io {

inline constexpr const char* kReceiveFile = "--receive-file";

struct FileReceiverSetup {
  wire::FileOffer offer;
  SessionState session;  // its peer is the owner of the file
  std::vector<Gid> groups;
  bool change_user = false;
  wire::NodeAccess access;  // to the nodes below this one
  Text mount_namespace;     // a file that holds the job's mount namespace; empty = the machine's
  Confinement confinement;  // of the job, if it has control groups
  template <class V>
  void fields(V& v) {
    v(1, offer);
    v(2, session);
    v(3, groups);
    v(4, change_user);
    v(170, access);
    v(300, mount_namespace);
    v(301, confinement);
  }
};

}  // namespace muster::io
