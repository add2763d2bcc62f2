// Channel and Server over TCP: the handshake with munge, and sealed frames.
#include <fcntl.h>

#include "base/codec/codec.h"
#include "io/net/handshake.h"
#include "io/net/server_sockets.h"
#include "io/net_fixture.h"

namespace muster::io {
namespace {

class ChannelOverTcp : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_munge()) GTEST_SKIP() << "no munge daemon answers here";
  }
  static ServerOptions on_any_port() { return {.bind_address = "127.0.0.1", .any_port = true}; }

  // The first half of a client's handshake, by hand.
  static ServerHello read_hello(int fd, Session& session) {
    for (;;) {
      auto frame = session.next_frame();
      EXPECT_TRUE(frame);
      if (frame && *frame) return decode<ServerHello>(**frame).value();
      pollfd watched{fd, POLLIN, 0};
      if (::poll(&watched, 1, 20000) != 1 || !session.read_from(fd)) return {};
    }
  }
};

TEST_F(ChannelOverTcp, CarriesFramesOfAnySizeBothWays) {
  EchoServer echo(on_any_port());
  auto channel = Channel::connect(echo.tcp_endpoint(), kPatience);
  ASSERT_TRUE(channel) << channel.error().text();
  EXPECT_EQ(call(*channel, "hello"), "echo hello");
  EXPECT_EQ(call(*channel, ""), "echo ");
  const std::string large(20u << 20, 'x');
  EXPECT_EQ(call(*channel, large), "echo " + large);
  const auto peer = echo.opened.take();
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->uid, Uid{::geteuid()});
  EXPECT_TRUE(peer->address.starts_with("127.0.0.1:"));
}

TEST_F(ChannelOverTcp, IsTriedWhenTheUnixSocketIsNotThere) {
  EchoServer echo(on_any_port());
  Endpoint endpoint = echo.tcp_endpoint();
  endpoint.unix_path = echo.folder_ / "elsewhere";
  auto channel = Channel::connect(endpoint, kPatience);
  ASSERT_TRUE(channel) << channel.error().text();
  EXPECT_EQ(call(*channel, "hello"), "echo hello");
}

TEST_F(ChannelOverTcp, ACredentialForAnotherUserIsRefusedWithALogLine) {
  CapturedLog log;
  EchoServer echo(on_any_port());
  Endpoint endpoint = echo.tcp_endpoint();
  endpoint.server_uid = Uid{12345};
  auto channel = Channel::connect(endpoint, kPatience);
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().code, ErrorCode::communication);
  EXPECT_TRUE(log.comes_to_say("Unauthorized credential")) << log.text();
}

TEST_F(ChannelOverTcp, AReplayedCredentialIsRefused) {
  CapturedLog log;
  EchoServer echo(on_any_port());
  const int first = raw_tcp(echo.server->port());
  Session session({}, kMaxHandshakeFrameBytes);
  auto offer = answer_over_tcp(read_hello(first, session), echo.tcp_endpoint());
  ASSERT_TRUE(offer);
  session.queue(offer->frame);
  ASSERT_TRUE(session.write_to(first));
  ASSERT_TRUE(echo.opened.take()) << "the original was refused: " << log.text();

  const int second = raw_tcp(echo.server->port());
  Session replay({}, kMaxHandshakeFrameBytes);
  replay.queue(offer->frame);
  ASSERT_TRUE(replay.write_to(second));
  EXPECT_TRUE(is_closed_by_peer(second));
  EXPECT_TRUE(log.comes_to_say("Replayed credential")) << log.text();
  ::close(first);
  ::close(second);
}

TEST_F(ChannelOverTcp, ACredentialMadeForAnotherConnectionIsRefused) {
  CapturedLog log;
  EchoServer echo(on_any_port());
  const int first = raw_tcp(echo.server->port());
  const int second = raw_tcp(echo.server->port());
  Session of_first({}, kMaxHandshakeFrameBytes);
  Session of_second({}, kMaxHandshakeFrameBytes);
  auto offer = answer_over_tcp(read_hello(first, of_first), echo.tcp_endpoint());
  ASSERT_TRUE(offer);
  of_second.queue(offer->frame);
  ASSERT_TRUE(of_second.write_to(second));
  EXPECT_TRUE(is_closed_by_peer(second));
  EXPECT_TRUE(log.comes_to_say("made for another connection")) << log.text();
  ::close(first);
  ::close(second);
}

TEST_F(ChannelOverTcp, ATamperedFrameEndsTheConnectionWithALogLine) {
  CapturedLog log;
  EchoServer echo(on_any_port());
  auto channel = Channel::connect(echo.tcp_endpoint(), kPatience);
  ASSERT_TRUE(channel);
  channel->queue("scancel 1");
  auto [fd, state] = channel->release();
  EXPECT_EQ(state.unsent.find("scancel"), std::string::npos) << "the frame is not sealed";
  state.unsent[7] ^= 1;
  ASSERT_TRUE(write_raw(fd, state.unsent));
  EXPECT_TRUE(is_closed_by_peer(fd));
  EXPECT_TRUE(log.comes_to_say("tampered")) << log.text();
  ::close(fd);
}

TEST_F(ChannelOverTcp, ARepeatedFrameEndsTheConnection) {
  CapturedLog log;
  EchoServer echo(on_any_port());
  auto channel = Channel::connect(echo.tcp_endpoint(), kPatience);
  ASSERT_TRUE(channel);
  channel->queue("sbatch");
  auto [fd, state] = channel->release();
  ASSERT_TRUE(write_raw(fd, state.unsent + state.unsent));
  EXPECT_TRUE(is_closed_by_peer(fd));
  EXPECT_TRUE(log.comes_to_say("tampered")) << log.text();
  ::close(fd);
}

TEST_F(ChannelOverTcp, AServerThatCannotDecodeTheCredentialIsNotTrusted) {
  const int listening = listen_tcp("127.0.0.1", 0).value();
  ::fcntl(listening, F_SETFL, O_RDWR);
  std::thread impostor([listening] {
    const int fd = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    Session session({}, kMaxHandshakeFrameBytes);
    session.queue(encode(make_server_hello("slurmctld", true)));
    EXPECT_TRUE(session.write_to(fd));
    session.start_sealing(random_bytes(kSealKeyBytes), true);
    session.queue(encode(Welcome{.version = kProtocolVersion}));
    EXPECT_TRUE(session.write_to(fd));
    is_closed_by_peer(fd);
    ::close(fd);
  });
  auto channel = Channel::connect({.host = "127.0.0.1", .port = port_of(listening)}, kPatience);
  EXPECT_FALSE(channel);
  EXPECT_EQ(channel.error().code, ErrorCode::access_denied);
  impostor.join();
  ::close(listening);
}

TEST(ServerWithoutMunge, OffersNoTcpAtAll) {
  EchoServer echo({.bind_address = "127.0.0.1", .any_port = true, .use_munge = false});
  EXPECT_EQ(echo.server->port(), 0);
  Endpoint endpoint{.host = "127.0.0.1", .port = 1, .use_munge = false};
  auto channel = Channel::connect(endpoint, kPatience);
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().code, ErrorCode::communication);
}

TEST(ChannelToNobody, IsACommunicationError) {
  const int listening = listen_tcp("127.0.0.1", 0).value();
  const std::uint16_t port = port_of(listening);
  ::close(listening);
  auto channel = Channel::connect({.host = "127.0.0.1", .port = port}, kPatience);
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().code, ErrorCode::communication);
}

}  // namespace
}  // namespace muster::io
