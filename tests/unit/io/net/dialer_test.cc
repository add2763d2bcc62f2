// The Dialer reconnects by itself, to whichever server is there.
#include "io/net_fixture.h"

namespace muster::io {
namespace {

struct Dialled {
  Dialled(Loop& loop, std::vector<Endpoint> endpoints)
      : dialer(Dialer::start(loop, std::move(endpoints),
                             {.on_connected = [this] { events.put("connected"); },
                              .on_frame = [this](std::string frame) { events.put(frame); },
                              .on_lost = [this](const Error&) { events.put("lost"); }},
                             Millis{5}, Millis{20})) {}
  bool comes(const std::string& what) {
    while (auto event = events.take())
      if (*event == what) return true;
    return false;
  }
  Mailbox<std::string> events;
  std::unique_ptr<Dialer> dialer;
};

struct Answering {
  explicit Answering(Loop& loop, std::string path, std::string prefix) {
    server =
        Server::listen(
            loop, {.unix_path = std::move(path)},
            {.on_open = {},
             .on_frame = [this, prefix](ConnectionId id,
                                        std::string frame) { server->send(id, prefix + frame); },
             .on_close = {}})
            .value();
  }
  std::unique_ptr<Server> server;
};

TEST(Dialer, WaitsForTheServerAndComesBackAfterItsRestart) {
  TemporaryFolder folder;
  Loop loop;
  Dialled dialled(loop, {{.unix_path = folder / "socket"}});
  EXPECT_TRUE(dialled.comes("lost")) << "nobody listens yet";
  {
    Answering server(loop, folder / "socket", "one ");
    ASSERT_TRUE(dialled.comes("connected"));
    dialled.dialer->send("x");
    EXPECT_TRUE(dialled.comes("one x"));
  }
  EXPECT_TRUE(dialled.comes("lost"));
  Answering server(loop, folder / "socket", "two ");
  ASSERT_TRUE(dialled.comes("connected"));
  dialled.dialer->send("y");
  EXPECT_TRUE(dialled.comes("two y"));
}

TEST(Dialer, TakesTheNextEndpointWhenTheFirstIsAway) {
  TemporaryFolder folder;
  Loop loop;
  Answering server(loop, folder / "backup", "backup ");
  Dialled dialled(loop, {{.unix_path = folder / "primary"}, {.unix_path = folder / "backup"}});
  ASSERT_TRUE(dialled.comes("connected"));
  dialled.dialer->send("x");
  EXPECT_TRUE(dialled.comes("backup x"));
}

TEST(Dialer, CallsNoHandlerOnceItIsClosed) {
  TemporaryFolder folder;
  Loop loop;
  Answering server(loop, folder / "socket", "");
  Dialled dialled(loop, {{.unix_path = folder / "socket"}});
  ASSERT_TRUE(dialled.comes("connected"));
  dialled.dialer->close();
  EXPECT_TRUE(eventually([&] { return server.server->connections() == 0; }));
  EXPECT_FALSE(dialled.events.take(Millis{0}));
}

TEST(Dialer, ConnectsOverTcp) {
  if (!has_munge()) GTEST_SKIP() << "no munge daemon answers here";
  EchoServer echo({.bind_address = "127.0.0.1", .any_port = true});
  Dialled dialled(echo.loop, {echo.tcp_endpoint()});
  ASSERT_TRUE(dialled.comes("connected"));
  dialled.dialer->send("x");
  EXPECT_TRUE(dialled.comes("echo x"));
}

TEST(Dialer, ItsDestructionDoesNotWaitForAServerThatNeverAnswers) {
  TemporaryFolder folder;
  const int mute = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder / "mute").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(mute, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(mute, 5), 0);
  const auto start = std::chrono::steady_clock::now();
  {
    Loop loop;
    Dialled dialled(loop, {{.unix_path = folder / "mute"}});
    pollfd watched{mute, POLLIN, 0};
    ASSERT_EQ(::poll(&watched, 1, 20000), 1);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  ::close(mute);
}

}  // namespace
}  // namespace muster::io
