// Files that sbcast sends to this node. If the controller has granted it, a process of its own
// receives the file, as the file's owner, among the processes of the job.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "base/codec/codec.h"
#include "io/cgroup/cgroup.h"
#include "io/log.h"
#include "io/net/munge.h"
#include "io/wall_clock.h"
#include "node/attach_rights.h"
#include "slurmd/host.h"

namespace muster {

namespace {

struct Caller {  // ends the connection, unless it was handed on
  int fd = -1;
  io::SessionState session;

  void refuse(int error, const std::string& why) {
    io::Channel channel(fd, std::move(session));
    channel.queue(encode(wire::FileStored{error, why, {}}));
    (void)channel.try_flush();
  }
};

// Blocks, because it calls munge.
Result<wire::FileGrant> read_grant(const SlurmdConfig& config, const std::string& sealed,
                                   Uid caller) {
  auto credential = io::decode_credential(sealed, config.munge_socket, io::Replay::accepted);
  if (!credential) return std::unexpected(credential.error());
  if (credential->uid != config.slurm_user && credential->uid != Uid{0})
    return fail("the permission to write files is not from the controller");
  auto grant = decode<wire::FileGrant>(credential->payload);
  if (!grant) return std::unexpected(grant.error());
  if (auto ok = check_grant(*grant, caller, config.node_name, io::wall_clock()); !ok)
    return std::unexpected(ok.error());
  return grant;
}

// For a job that has neither a script nor an extern step here.
Result<Confinement> make_receivers_group(const NodeConfinement& node,
                                         const wire::FileGrant& grant) {
  Confinement groups = confine_receiver(node, grant);
  auto made = io::make_cgroup(groups);
  if (!made) return std::unexpected(made.error());
  return groups;
}

}  // namespace

wire::NodeAccess access_to_nodes(const SlurmdConfig& config) {
  return {.socket_dir = config.unix_path.substr(0, config.unix_path.rfind('/')),
          .use_munge = config.use_munge,
          .munge_socket = config.munge_socket,
          .slurmd_user = Uid{geteuid()},
          .timeout = config.message_timeout};
}

void Slurmd::receive_file(wire::FileOffer offer, int fd, io::SessionState session) {
  const SlurmdConfig& config = start_.config;
  const Uid caller = session.peer_uid;
  if (!receiving_.take(caller, 0))
    return Caller{fd, std::move(session)}.refuse(EAGAIN, "too many files come to this node");
  if (!config.use_munge && caller == Uid{geteuid()})  // a cluster of a single user
    return start_receiver(offer, fd, std::move(session), {.uid = caller, .owner = caller});
  loop_.run_blocking(
      [this, config, caller, offer = std::move(offer), fd, session = std::move(session)]() mutable {
        auto grant = read_grant(config, offer.grant, caller);
        loop_.post([this, caller, grant = std::move(grant), offer = std::move(offer), fd,
                    session = std::move(session)]() mutable {
          if (grant) return start_receiver(offer, fd, std::move(session), *grant);
          io::log_info("a file of uid {} is refused: {}", caller.value, grant.error().text());
          receiving_.give_back(caller, 0);
          Caller{fd, std::move(session)}.refuse(EPERM, grant.error().text());
        });
      });
}

void Slurmd::start_receiver(const wire::FileOffer& offer, int fd, io::SessionState session,
                            const wire::FileGrant& grant) {
  const Uid caller = session.peer_uid;
  io::FileReceiverSetup setup;
  setup.offer = offer;
  setup.groups = users_.find(caller, session.peer_gid, io::steady_time()).groups;
  setup.change_user = geteuid() == 0;
  setup.access = access_to_nodes(start_.config);
  setup.confinement = steps_.groups_of(grant.job);
  std::function<void()> on_ended = [this, caller] { receiving_.give_back(caller, 0); };
  if (setup.confinement.groups == Confinement::Groups::none &&
      confinement_.groups != Confinement::Groups::none) {
    auto made = make_receivers_group(confinement_, grant);
    if (!made) {
      on_ended();
      return Caller{fd, std::move(session)}.refuse(EIO, made.error().text());
    }
    setup.confinement = *made;
    on_ended = [on_ended, groups = std::move(*made)] {
      on_ended();
      io::find_cgroup(groups)->remove();  // fails if others still use it
    };
  }
  const auto& private_directories = start_.config.private_directories;
  const bool needs_init = private_directories && !private_directories->init_script.empty();
  if (namespaces_ && (namespaces_->has(grant.job) || !needs_init)) {
    auto held = namespaces_->provide(grant.job, grant.owner, grant.owner_group);
    if (held) setup.mount_namespace = *held;
    if (!held) io::log_error("{}", held.error().text());
  }
  setup.session = std::move(session);
  auto spawned = steps_.spawn_receiver(setup, fd, on_ended);
  if (!spawned) {
    io::log_error("a file is not received: {}", spawned.error().text());
    on_ended();
  }
  close(fd);
}

}  // namespace muster
