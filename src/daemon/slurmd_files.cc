// Files that sbcast sends to this node. A process of its own takes each, as the user it belongs to;
// it also checks that the controller has granted it.
#include <unistd.h>

#include <chrono>

#include "daemon/slurmd_host.h"
#include "io/log.h"
#include "io/wall_clock.h"

namespace muster {

void Slurmd::receive_file(wire::FileOffer offer, int fd, io::SessionState session) {
  const SlurmdConfig& config = start_.config;
  const Time now = io::steady_time();
  const bool single_user = !config.use_munge && session.peer_uid == Uid{geteuid()};
  io::FileReceiverSetup setup;
  setup.offer = std::move(offer);
  setup.groups = users_.find(session.peer_uid, session.peer_gid, now).groups;
  setup.session = std::move(session);
  setup.change_user = geteuid() == 0;
  setup.needs_grant = !single_user;
  setup.granter =
      config.controllers.empty() ? Uid{0} : config.controllers.front().server_uid.value_or(Uid{0});
  setup.munge_socket = config.munge_socket;
  setup.access = access_to_nodes();
  if (auto spawned = steps_.spawn_receiver(setup, fd); !spawned)
    io::log_error("a file is not received: {}", spawned.error().text());
  close(fd);
}

}  // namespace muster
