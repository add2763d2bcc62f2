// The Loop on epoll: one round is events, due timers, posted work, on_drained, and sending.
#include "io/loop/loop.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <future>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "io/log_limit.h"
#include "io/loop/blocking_pool.h"
#include "io/loop/memory_wait.h"
#include "io/loop/signal_watch.h"

namespace muster::io {

namespace {

using Clock = std::chrono::steady_clock;
using Work = std::function<void()>;

constexpr int kEventsAtOnce = 256;  // per round, because more may become ready all the time
using Events = std::array<epoll_event, kEventsAtOnce>;
using Patience = std::optional<std::chrono::nanoseconds>;  // none = no limit

// Kernels before 5.11 count in milliseconds.
int wait_for_events(int epoll, Events& events, Patience patience) {
  timespec limit{};
  if (patience) {
    limit.tv_sec = static_cast<time_t>(patience->count() / 1'000'000'000);
    limit.tv_nsec = static_cast<long>(patience->count() % 1'000'000'000);
  }
  const int ready =
      ::epoll_pwait2(epoll, events.data(), kEventsAtOnce, patience ? &limit : nullptr, nullptr);
  if (ready >= 0 || errno != ENOSYS) return ready;
  const auto ms = patience ? std::chrono::ceil<std::chrono::milliseconds>(*patience).count() : -1;
  return ::epoll_wait(epoll, events.data(), kEventsAtOnce, static_cast<int>(ms));
}

}  // namespace

struct Loop::Impl {
  Impl() : epoll(::epoll_create1(EPOLL_CLOEXEC)), wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    CHECK(epoll >= 0 && wake >= 0, std::strerror(errno));
    CHECK(control(EPOLL_CTL_ADD, wake, EPOLLIN), std::strerror(errno));
  }
  ~Impl() {
    registered.clear();  // together with what the handlers own
    ::close(wake);
    ::close(epoll);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool control(int what, int fd, std::uint32_t events) const {
    epoll_event event{.events = events, .data = {.fd = fd}};
    return ::epoll_ctl(epoll, what, fd, &event) == 0;
  }
  void run();
  bool is_here() const { return std::this_thread::get_id() == thread.get_id(); }
  void add(std::list<Work>& now) noexcept;
  void add(Clock::time_point at, Work later);

  int epoll, wake;
  Work on_drained;
  // Used on the loop's thread only:
  struct Registration {
    std::shared_ptr<FdHandler> handler;
    bool is_enabled = false;  // epoll knows the descriptor
  };
  std::vector<Registration> registered;  // index: the descriptor
  std::list<std::shared_ptr<Flushable>> unsent;
  std::optional<Clock::time_point> wake_at;
  std::uint64_t round = 0;
  bool is_short_of_memory = false;  // in this round

  std::mutex mutex;  // guards the members below
  std::list<Work> posted;
  std::multimap<Clock::time_point, Work> timers;

  std::atomic<bool> is_stopped{false};
  BlockingPool blocking{8};
  // One credential is at most kMaxHandshakeFrameBytes long.
  BlockingPool checks{4, 4096};
  std::thread thread;

 private:
  void wake_up() const {
    const std::uint64_t one = 1;
    CHECK(::write(wake, &one, sizeof one) == sizeof one || errno == EAGAIN);
  }
  Patience patience();
  int serve(Patience patience);
  void run_posted();
  void run_timers();
  void flush_unsent();
  void rest_without_memory();
  template <class Call>
  bool succeeds(Call&& call);

  LogLimit shortages_{1, std::chrono::milliseconds{10000}};
};

void Loop::Impl::add(std::list<Work>& now) noexcept {
  bool sleeps = false;
  {
    const std::lock_guard lock(mutex);
    sleeps = posted.empty() && !is_here();
    posted.splice(posted.end(), now);
  }
  if (sleeps) wake_up();
}

void Loop::Impl::add(Clock::time_point at, Work later) {
  bool sleeps_too_long = false;
  {
    const std::lock_guard lock(mutex);
    sleeps_too_long = !is_here() && (timers.empty() || at < timers.begin()->first);
    timers.emplace(at, std::move(later));
  }
  if (sleeps_too_long) wake_up();
}

// How long to wait for events.
Patience Loop::Impl::patience() {
  std::optional<Clock::time_point> until = std::exchange(wake_at, std::nullopt);
  const std::lock_guard lock(mutex);
  if (!posted.empty() || !unsent.empty()) return std::chrono::nanoseconds{0};
  if (!timers.empty())
    until = until ? std::min(*until, timers.begin()->first) : timers.begin()->first;
  if (!until) return std::nullopt;
  return std::max(*until - Clock::now(), Clock::duration::zero());
}

// Returns how many descriptors were ready. One that was closed and reused within this round may get
// an event of its predecessor: handlers must tolerate that.
int Loop::Impl::serve(Patience patience) {
  Events events;
  const int ready = wait_for_events(epoll, events, patience);
  CHECK(ready >= 0 || errno == EINTR, std::strerror(errno));
  for (int i = 0; i < ready; ++i) {
    const auto& [flags, data] = events[static_cast<std::size_t>(i)];
    const auto fd = static_cast<std::size_t>(data.fd);
    if (data.fd == wake) {
      std::uint64_t count = 0;
      CHECK(::read(wake, &count, sizeof count) == sizeof count || errno == EAGAIN);
    } else if (fd < registered.size()) {
      // Copied, because the call may unwatch it.
      if (const std::shared_ptr<FdHandler> handler = registered[fd].handler)
        (void)succeeds([&] { handler->on_ready(flags); });  // the system names it again
    }
  }
  return std::max(ready, 0);
}

template <class Call>
bool Loop::Impl::succeeds(Call&& call) {
  try {
    call();
    return true;
  } catch (const std::bad_alloc&) {
    is_short_of_memory = true;
    return false;
  }
}

void Loop::Impl::run_posted() {
  std::list<Work> due, failed;
  {
    const std::lock_guard lock(mutex);
    due.swap(posted);
  }
  while (!due.empty()) {
    if (succeeds(due.front()))
      due.pop_front();
    else
      failed.splice(failed.end(), due, due.begin());
  }
  const std::lock_guard lock(mutex);
  posted.splice(posted.begin(), failed);
}

void Loop::Impl::run_timers() {
  const Clock::time_point now = Clock::now();
  for (;;) {
    decltype(timers)::node_type due;
    {
      const std::lock_guard lock(mutex);
      if (timers.empty() || timers.begin()->first > now) return;
      due = timers.extract(timers.begin());
    }
    if (succeeds(due.mapped())) continue;
    due.key() = Clock::now() + kRestWithoutMemory;
    const std::lock_guard lock(mutex);
    timers.insert(std::move(due));
  }
}

void Loop::Impl::flush_unsent() {
  std::list<std::shared_ptr<Flushable>> due, failed;
  due.swap(unsent);
  while (!due.empty()) {
    if (succeeds([&] { due.front()->flush(); }))
      due.pop_front();
    else
      failed.splice(failed.end(), due, due.begin());
  }
  unsent.splice(unsent.begin(), failed);
}

// Other threads may free some meanwhile.
void Loop::Impl::rest_without_memory() {
  shortages_.write(LogLevel::error,
                   "there is not enough memory: what could not be done is tried again");
  std::this_thread::sleep_for(kRestWithoutMemory);
  wake_at = Clock::now();
}

void Loop::Impl::run() {
  while (!is_stopped) {
    ++round;
    int served = serve(patience());
    // More events may have come meanwhile.
    for (int more = served; more > 0 && served < kEventsAtOnce; served += more)
      more = serve(std::chrono::nanoseconds{0});
    run_posted();
    run_timers();
    if (on_drained) (void)succeeds(on_drained);
    flush_unsent();
    if (std::exchange(is_short_of_memory, false)) rest_without_memory();
  }
}

namespace {

class Call final : public FdHandler {
 public:
  explicit Call(Work work) : work_(std::move(work)) {}
  void on_ready(std::uint32_t) override { work_(); }

 private:
  const Work work_;
};

}  // namespace

std::shared_ptr<FdHandler> call_when_ready(std::function<void()> work) {
  return std::make_shared<Call>(std::move(work));
}

Loop::Loop(std::function<void()> on_drained) : impl_(std::make_unique<Impl>()) {
  impl_->on_drained = std::move(on_drained);
  std::promise<void> may_begin;  // set once the loop knows its own thread
  const SignalsBlocked blocked;
  impl_->thread = std::thread([this, go = may_begin.get_future().share()] {
    go.wait();
    impl_->run();
  });
  pthread_setname_np(impl_->thread.native_handle(), "io");
  may_begin.set_value();
}

Loop::~Loop() {
  stop();
  stop_blocking();
  join();
}

void Loop::post(std::function<void()> work) {
  std::list<Work> one;
  one.push_back(std::move(work));
  impl_->add(one);
}

void Loop::post_prepared(std::list<std::function<void()>>& work) noexcept { impl_->add(work); }

void Loop::after(std::chrono::microseconds delay, std::function<void()> work) {
  impl_->add(Clock::now() + delay, std::move(work));
}

void Loop::run_blocking(std::function<void()> work) { (void)impl_->blocking.run(std::move(work)); }
bool Loop::run_check(std::function<void()> work) { return impl_->checks.run(std::move(work)); }
void Loop::stop_blocking() {
  impl_->checks.stop();
  impl_->blocking.stop();
}

void Loop::stop() {
  impl_->is_stopped = true;
  post([] {});  // wakes the loop
}

void Loop::join() {
  if (impl_->thread.joinable()) impl_->thread.join();
}

bool Loop::is_here() const { return impl_->is_here(); }
std::uint64_t Loop::round() const { return impl_->round; }

void Loop::watch(int fd, std::uint32_t events, std::shared_ptr<FdHandler> handler) {
  adopt(fd, std::move(handler));
  CHECK(enable(fd, events), std::strerror(errno));
}

void Loop::adopt(int fd, std::shared_ptr<FdHandler> handler) {
  CHECK(is_here());
  const auto index = static_cast<std::size_t>(fd);
  if (index >= impl_->registered.size()) impl_->registered.resize(index + 1);
  impl_->registered[index] = {.handler = std::move(handler)};
}

bool Loop::enable(int fd, std::uint32_t events) {
  CHECK(is_here());
  return impl_->registered[static_cast<std::size_t>(fd)].is_enabled =
             impl_->control(EPOLL_CTL_ADD, fd, events);
}

bool Loop::set_events(int fd, std::uint32_t events) {
  return impl_->control(EPOLL_CTL_MOD, fd, events);
}

void Loop::unwatch(int fd) {
  CHECK(is_here());
  const Impl::Registration gone =
      std::exchange(impl_->registered[static_cast<std::size_t>(fd)], {});
  if (gone.is_enabled) CHECK(impl_->control(EPOLL_CTL_DEL, fd, 0), std::strerror(errno));
}

void Loop::flush_later(std::shared_ptr<Flushable> flushable) {
  CHECK(is_here());
  impl_->unsent.push_back(std::move(flushable));
}

void Loop::wake_within(std::chrono::microseconds delay) {
  CHECK(is_here());
  const Clock::time_point at = Clock::now() + delay;
  if (!impl_->wake_at || at < *impl_->wake_at) impl_->wake_at = at;
}

}  // namespace muster::io
