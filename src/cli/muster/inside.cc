// muster notice, extend-grace, requeue-me: for processes of a job. They talk to the slurmd of their
// own node through the directory that MUSTER_STOP_NOTICE names, without munge or a configuration.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <nlohmann/json.hpp>

#include "base/text/strings.h"
#include "cli/lib/errors.h"
#include "cli/muster/embedded.h"
#include "io/files.h"

namespace muster::cli {

namespace {

constexpr std::string_view kVariable = "MUSTER_STOP_NOTICE";

int refuse(std::string_view text) {
  print_error("muster", text);
  return kExitFailure;
}

struct JobPlace {
  std::string file, directory;
};

Result<JobPlace> find_place() {
  const char* file = std::getenv(kVariable.data());
  const std::string path = file ? file : "";
  if (!path.starts_with('/'))
    return fail(fmt::format("this is for processes of a job: {} is not set", kVariable));
  JobPlace place{path, path.substr(0, path.rfind('/'))};
  if (::access(place.directory.c_str(), X_OK) != 0)
    return fail(fmt::format("{}: {}; in a container, mount this directory", place.directory,
                            std::strerror(errno)));
  return place;
}

Result<int> connect_to_node(const JobPlace& place) {
  const int at = ::open(place.directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "/proc/self/fd/{}/socket", at);
  const bool ok = at >= 0 && fd >= 0 &&
                  ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int error = errno;
  if (at >= 0) ::close(at);
  if (ok) return fd;
  if (fd >= 0) ::close(fd);
  return fail(fmt::format("slurmd of this node cannot be reached: {}", std::strerror(error)));
}

// The line that slurmd answers; empty if it went away.
Result<std::string> ask(const JobPlace& place, std::string_view words) {
  auto fd = connect_to_node(place);
  if (!fd) return std::unexpected(fd.error());
  const std::string line = std::string(words) + "\n";
  std::string text;
  if (::send(*fd, line.data(), line.size(), MSG_NOSIGNAL) >= 0 || errno == EPIPE) {
    char buffer[1024];
    for (;;) {
      const ssize_t got = ::recv(*fd, buffer, sizeof buffer, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      text.append(buffer, static_cast<std::size_t>(got));
    }
  }
  ::close(*fd);
  return text;
}

Result<nlohmann::ordered_json> ask_for_json(const JobPlace& place, std::string_view words) {
  auto text = ask(place, words);
  if (!text) return std::unexpected(text.error());
  auto answer = nlohmann::ordered_json::parse(*text, nullptr, false);
  if (!answer.is_object() || !answer.contains("ok"))
    return fail("slurmd of this node went away before it answered");
  if (answer["ok"] == true) return answer;
  return fail(answer.value("error", std::string("refused")));
}

// Waits for a notice; a slurmd that is restarted meanwhile is asked again.
Result<std::string> wait_for_notice(const JobPlace& place) {
  using namespace std::chrono_literals;
  constexpr int kTries = 60;
  for (int failures = 0;; ++failures) {
    auto text = ask(place, "wait");
    if (text && !text->empty()) {
      auto answer = nlohmann::ordered_json::parse(*text, nullptr, false);
      if (!answer.is_object()) return fail("slurmd of this node gave no answer that can be read");
      if (answer.value("ok", false)) return answer["notice"].dump();
      return fail(answer.value("error", std::string("refused")));
    }
    if (text) failures = 0;
    if (failures >= kTries) return fail(text.error().text());
    std::this_thread::sleep_for(1s);
  }
}

}  // namespace

int muster_notice(std::vector<std::string_view> args) {
  bool waits = false;
  for (std::string_view arg : args) {
    if (arg != "--wait")
      return refuse(fmt::format("notice: unknown argument '{}'; there is --wait", arg));
    waits = true;
  }
  auto place = find_place();
  if (!place) return refuse(place.error().text());
  if (waits) {
    auto notice = wait_for_notice(*place);
    if (!notice) return refuse(notice.error().text());
    std::puts(notice->c_str());
    return 0;
  }
  // The file says it, even while slurmd is away.
  if (auto text = io::read_file(place->file)) {
    std::puts(std::string(trim(*text)).c_str());
    return 0;
  }
  if (!io::exists(place->file)) return kExitFailure;
  return refuse(fmt::format("{} cannot be read", place->file));
}

int muster_extend_grace(std::vector<std::string_view> args) {
  auto seconds = args.size() == 1 ? parse_number<std::uint32_t>(args[0]) : std::nullopt;
  if (!seconds || *seconds == 0) return refuse("extend-grace: say by how many seconds");
  auto place = find_place();
  if (!place) return refuse(place.error().text());
  auto answer = ask_for_json(*place, fmt::format("extend-grace {}", *seconds));
  if (!answer) return refuse(answer.error().text());
  fmt::print("{} more seconds\n", answer->value("granted", 0));
  return 0;
}

int muster_requeue_me(std::vector<std::string_view> args) {
  if (!args.empty()) return refuse("requeue-me takes no arguments");
  auto place = find_place();
  if (!place) return refuse(place.error().text());
  if (auto answer = ask_for_json(*place, "requeue-me"); !answer)
    return refuse(answer.error().text());
  return 0;
}

}  // namespace muster::cli
