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
#include "io/wall_clock.h"

namespace muster {

namespace {

constexpr const char* kSocketName = "socket";

std::unexpected<Error> call_failed(const std::string& what) {
  return fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

JobSocket::JobSocket(io::Loop& loop, const std::string& spool_dir, Callbacks callbacks)
    : loop_(loop), directory_(spool_dir + "/notices"), callbacks_(std::move(callbacks)) {}

// The loop has stopped by now.
JobSocket::~JobSocket() {
  for (const auto& [fd, caller] : callers_) ::close(fd);
  if (listener_ >= 0) ::close(listener_);
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
    const auto attempt = parse_notice_file_name(name);
    if (attempt && runs(*attempt)) {
      if (auto text = io::read_file(directory_ + "/" + name)) notices_[*attempt] = *text;
    } else if (name != kSocketName) {
      (void)io::remove_file(directory_ + "/" + name);
    }
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
  loop_.watch(listener_, EPOLLIN, io::call_when_ready([this] { on_connection(); }));
  return {};
}

void JobSocket::on_connection() {
  for (;;) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    ucred peer{};
    socklen_t size = sizeof peer;
    const bool known = ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    const auto attempt = known ? callbacks_.job_of(peer.pid, Uid{peer.uid}) : std::nullopt;
    std::string_view refusal;
    if (!attempt)
      refusal = "this process belongs to no job on this node";
    else if (!quota_.take(Uid{peer.uid}, 0))
      refusal = "too many processes of this user wait here";
    if (!refusal.empty()) {
      const std::string text = ask_answer(refusal, Seconds{0});
      // The connection ends, whether or not the caller reads this line.
      (void)::send(fd, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      ::close(fd);
      continue;
    }
    callers_.emplace(fd, Caller{.user = Uid{peer.uid}, .attempt = *attempt});
    loop_.adopt(fd, io::call_when_ready([this, fd] { on_readable(fd); }));
    if (!loop_.enable(fd, EPOLLIN)) close(fd);
  }
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
  constexpr int kMost = 300;
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

void JobSocket::write_notice(AttemptRef attempt, Uid user, const std::string& text) const {
  if (auto written = write_file(notice_path(attempt), user, text + "\n"); !written)
    io::log_error("[job {}] its stop notice is only on the job socket: {}", attempt.job.value,
                  written.error().text());
}

Result<void> JobSocket::write_file(const std::string& path, Uid user,
                                   const std::string& text) const {
  const std::string draft = path + ".new";
  (void)::unlink(draft.c_str());
  const int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400);
  if (fd < 0) return call_failed(draft);
  const bool is_own = user == Uid{::geteuid()};
  const bool ok = (is_own || ::fchown(fd, user.value, static_cast<gid_t>(-1)) == 0) &&
                  ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  auto failure = call_failed(draft);
  ::close(fd);
  if (ok && ::rename(draft.c_str(), path.c_str()) == 0) return {};
  if (ok) failure = call_failed(path);
  (void)::unlink(draft.c_str());
  return failure;
}

void JobSocket::show_to(AttemptRef attempt, Uid user) {
  const auto notice = notices_.find(attempt);
  if (notice != notices_.end() && !io::exists(notice_path(attempt)))
    write_notice(attempt, user, notice->second);
}

void JobSocket::post(AttemptRef attempt, std::optional<Uid> user, const StopNotice& notice) {
  const std::string text = notice_json(attempt, notice, io::wall_clock());
  if (text.empty()) return forget(attempt);
  notices_[attempt] = text;
  if (user) write_notice(attempt, *user, text);
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
