// Makes connections on threads, which may outlive the step's use of them and therefore share what
// they need.
#include "step/streams/dials.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/check.h"
#include "io/net/node_connection.h"
#include "step/tasks/setup.h"

namespace muster::step {

namespace {

constexpr std::size_t kMostThreads = 32;

Result<io::Channel> connect(const wire::NodeAccess& access, const Dials::Call& call) {
  auto channel = io::connect_to_node_patiently(access, call.node);
  if (!channel) return channel;
  if (auto sent = channel->send(call.first_frame); !sent) return std::unexpected(sent.error());
  return channel;
}

// The parts of the setup that such a thread needs.
StepSetup who_and_where(const StepSetup& setup) {
  StepSetup own;
  own.change_user = setup.change_user;
  own.launch.uid = setup.launch.uid;
  own.launch.gid = setup.launch.gid;
  own.groups = setup.groups;
  own.access = setup.access;
  return own;
}

}  // namespace

struct Dials::Shared {
  Shared(const StepSetup& setup, std::vector<Call> all)
      : user(who_and_where(setup)),
        calls(std::move(all)),
        ready(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    CHECK(ready >= 0);
  }
  Shared(const Shared&) = delete;
  ~Shared() { close(ready); }

  void add(std::size_t number, Result<io::Channel> channel) {
    const std::lock_guard lock(mutex);
    made.emplace_back(number, std::move(channel));
    const std::uint64_t one = 1;
    (void)!write(ready, &one, sizeof one);
  }
  void work() {
    const bool is_user = act_as_user(user);
    const int error = errno;
    for (std::size_t i = next++; i < calls.size() && !given_up; i = next++)
      add(i, is_user ? connect(user.access, calls[i])
                     : fail(std::string("cannot act as the job's user: ") + std::strerror(error)));
  }

  const StepSetup user;
  const std::vector<Call> calls;
  const int ready;
  std::atomic<std::size_t> next = 0;  // the next call that no thread has taken
  std::atomic<bool> given_up = false;
  std::mutex mutex;  // guards made
  std::vector<Made> made;
};

Dials::Dials(const StepSetup& setup, std::vector<Call> calls)
    : shared_(std::make_shared<Shared>(setup, std::move(calls))) {
  const std::size_t threads = std::min(shared_->calls.size(), kMostThreads);
  for (std::size_t i = 0; i < threads; ++i) {
    try {
      std::thread([shared = shared_] { shared->work(); }).detach();
      // Fewer threads are enough; without any, all calls fail.
    } catch (const std::system_error& error) {
      if (i > 0) break;
      for (std::size_t call = 0; call < shared_->calls.size(); ++call)
        shared_->add(call, fail(std::string("no thread to connect: ") + error.what()));
      break;
    }
  }
}

Dials::~Dials() { shared_->given_up = true; }

int Dials::fd() const { return shared_->ready; }

std::vector<Dials::Made> Dials::take() {
  std::uint64_t ignored = 0;
  (void)!read(shared_->ready, &ignored, sizeof ignored);
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->made, {});
}

}  // namespace muster::step
