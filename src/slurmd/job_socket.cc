// Talks to processes of jobs, and writes their notice files.
#include "slurmd/job_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "io/files.h"
#include "io/log.h"
#include "io/net/listener.h"
#include "io/wall_clock.h"

namespace muster {

namespace {

constexpr const char* kSocketName = "socket";
constexpr off_t kLongestNotice = 4096;

// Only what slurmd wrote itself: in the directory of an earlier version users had files of their
// own.
std::optional<std::string> read_notice(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  struct stat about{};
  std::string text;
  if (::fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == ::geteuid() &&
      about.st_size <= kLongestNotice) {
    text.resize(static_cast<std::size_t>(about.st_size));
    const ssize_t got = ::read(fd, text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  ::close(fd);
  if (text.empty()) return std::nullopt;
  return text;
}

std::unexpected<Error> call_failed(const std::string& what) {
  return fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

JobSocket::JobSocket(io::Loop& loop, const std::string& spool_dir, Callbacks callbacks)
    : loop_(loop), directory_(spool_dir + "/notices"), callbacks_(std::move(callbacks)) {}

// The loop has stopped by now.
JobSocket::~JobSocket() {
  for (const auto& [fd, caller] : callers_) ::close(fd);
  if (listener_ >= 0) ::shutdown(listener_, SHUT_RDWR);
}

std::string JobSocket::notice_path(AttemptRef attempt) const {
  return fmt::format("{}/{}", directory_, notice_file_name(attempt));
}

Result<void> JobSocket::listen(const std::function<bool(AttemptRef)>& runs) {
  // Users reach what is in it, but do not see whose jobs were told to stop.
  if (auto made = io::make_directories(directory_, 0711); !made) return made;
  auto names = io::list_directory(directory_);
  if (!names) return std::unexpected(names.error());
  for (const std::string& name : *names) {
    if (name == kSocketName) continue;
    const std::string path = directory_ + "/" + name;
    const auto attempt = parse_notice_file_name(name);
    auto text = attempt && runs(*attempt) ? read_notice(path) : std::nullopt;
    if (text)
      notices_[*attempt] = std::move(*text);
    else if (auto removed = io::remove_file(path); !removed)
      io::log_error("{}", removed.error().text());
  }
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0) return call_failed("socket");
  // Addresses of sockets are short, and spool directories may be long: so it is named relative to
  // the open directory.
  const int at = ::open(directory_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  ::unlinkat(at, kSocketName, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "/proc/self/fd/{}/{}", at,
                   kSocketName);
  const bool ok =
      at >= 0 &&
      ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::fchmodat(at, kSocketName, 0666, 0) == 0 && ::listen(listener, 128) == 0;
  auto failure = call_failed(directory_ + "/" + kSocketName);
  if (at >= 0) ::close(at);
  if (!ok) {
    ::close(listener);
    return failure;
  }
  listener_ = listener;
  io::start_listener(
      loop_, listener_,
      {.on_accept = [this](int fd) { on_connection(fd); },
       .on_trouble = [](std::string_view why) { io::log_error("the socket for jobs: {}", why); }});
  return {};
}

// What it costs is bounded for each user, since everybody on this machine may connect.
void JobSocket::on_connection(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    ::close(fd);
    return;
  }
  const Uid user{peer.uid};
  if (!callbacks_.has_job(user)) return refuse(fd, "this process belongs to no job on this node");
  if (connects_too_often(user))
    return refuse(fd, "this user asks too often: try again in a second");
  const auto attempt = callbacks_.job_of(peer.pid, user);
  if (!attempt) return refuse(fd, "this process belongs to no job on this node");
  if (!quota_.take(user, 0)) return refuse(fd, "too many processes of this user wait here");
  callers_.emplace(fd, Caller{.user = user, .attempt = *attempt});
  loop_.adopt(fd, io::call_when_ready([this, fd] { on_readable(fd); }));
  if (!loop_.enable(fd, EPOLLIN)) close(fd);
}

// The connection ends, whether or not the caller reads this line.
void JobSocket::refuse(int fd, std::string_view why) {
  const std::string text = ask_answer(why, Seconds{0});
  (void)::send(fd, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::close(fd);
}

// Each task of a large step may connect once at the same time.
bool JobSocket::connects_too_often(Uid user) {
  constexpr int kMost = 512;
  constexpr std::size_t kMostUsers = 1024;
  const Time now = io::steady_time();
  if (connecting_.size() > kMostUsers)
    std::erase_if(connecting_,
                  [&](const auto& each) { return now - each.second.since >= Seconds{1}; });
  Asking& connecting = connecting_[user];
  if (now - connecting.since >= Seconds{1}) connecting = {.since = now};
  return ++connecting.count > kMost;
}

void JobSocket::on_readable(int fd) {
  const auto found = callers_.find(fd);
  if (found == callers_.end()) return;
  Caller& caller = found->second;
  std::array<char, kLongestJobWords> bytes;
  const ssize_t got = ::recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return close(fd);
  if (caller.waits || caller.ask != 0) return close(fd);  // one request for each connection
  caller.unread.append(bytes.data(), static_cast<std::size_t>(got));
  const std::size_t end = caller.unread.find('\n');
  if (end == std::string::npos) {
    if (caller.unread.size() >= kLongestJobWords)
      reply(fd, ask_answer("this line is too long", Seconds{0}));
    return;
  }
  act(fd, caller, std::string_view(caller.unread).substr(0, end));
}

void JobSocket::act(int fd, Caller& caller, std::string_view line) {
  auto words = parse_job_words(line);
  if (!words) return reply(fd, ask_answer(words.error().text(), Seconds{0}));
  const auto notice = notices_.find(caller.attempt);
  switch (words->verb) {
    case JobWords::Verb::wait:
      if (notice == notices_.end()) {
        caller.waits = true;
        return;
      }
      [[fallthrough]];
    case JobWords::Verb::notice:
      return reply(fd, notice_answer(notice == notices_.end() ? "" : notice->second));
    case JobWords::Verb::extend_grace:
      return ask(fd, caller, JobAsk::extend_grace, words->by);
    case JobWords::Verb::requeue:
      return ask(fd, caller, JobAsk::requeue, Seconds{0});
  }
}

// The controller has more to do than to answer one job.
void JobSocket::ask(int fd, Caller& caller, JobAsk what, Seconds by) {
  constexpr int kMost = 20;
  constexpr Seconds kPerSpan{10};
  const Time now = io::steady_time();
  Asking& asking = asking_[caller.attempt];
  if (now - asking.since >= kPerSpan) asking = {.since = now};
  if (++asking.count > kMost)
    return reply(fd, ask_answer("this job asks too often: try again in ten seconds", Seconds{0}));
  caller.ask = callbacks_.ask(caller.attempt, what, by);
}

void JobSocket::answer(JobAskId id, std::string_view refusal, Seconds granted) {
  for (const auto& [fd, caller] : callers_)
    if (caller.ask == id) return reply(fd, ask_answer(refusal, granted));
}

void JobSocket::reply(int fd, const std::string& text) {
  (void)::send(fd, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  close(fd);
}

void JobSocket::close(int fd) {
  const auto found = callers_.find(fd);
  if (found == callers_.end()) return;
  quota_.give_back(found->second.user, 0);
  callers_.erase(found);
  loop_.unwatch(fd);
  ::close(fd);
}

void JobSocket::write_notice(AttemptRef attempt, const std::string& text) const {
  if (auto written = write_file(notice_path(attempt), text + "\n"); !written)
    io::log_error("[job {}] its stop notice is only on the job socket: {}", attempt.job.value,
                  written.error().text());
}

Result<void> JobSocket::write_file(const std::string& path, const std::string& text) const {
  const std::string draft = path + ".new";
  (void)::unlink(draft.c_str());
  const int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444);
  if (fd < 0) return call_failed(draft);
  const bool ok = ::fchmod(fd, 0444) == 0 &&
                  ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  auto failure = call_failed(draft);
  ::close(fd);
  if (ok && ::rename(draft.c_str(), path.c_str()) == 0) return {};
  if (ok) failure = call_failed(path);
  (void)::unlink(draft.c_str());
  return failure;
}

void JobSocket::post(AttemptRef attempt, const StopNotice& notice) {
  const std::string text = notice_json(attempt, notice, io::wall_clock());
  if (text.empty()) return forget(attempt);
  notices_[attempt] = text;
  write_notice(attempt, text);
  std::vector<int> told;
  for (const auto& [fd, caller] : callers_)
    if (caller.waits && caller.attempt == attempt) told.push_back(fd);
  for (int fd : told) reply(fd, notice_answer(text));
}

void JobSocket::forget(AttemptRef attempt) {
  asking_.erase(attempt);
  if (notices_.erase(attempt) == 0) return;
  if (auto removed = io::remove_file(notice_path(attempt)); !removed)
    io::log_error("{}", removed.error().text());
}

}  // namespace muster
