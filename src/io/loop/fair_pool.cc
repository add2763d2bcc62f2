// Picks the next piece of work: users take turns, and no user gets more than a part of the threads.
#include "io/loop/fair_pool.h"

#include <pthread.h>

#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "io/loop/memory_wait.h"
#include "io/loop/signal_watch.h"

namespace muster::io {

namespace {
// How often to check whether users have read their answers, while nothing else can run.
constexpr std::chrono::milliseconds kLookAgain{10};
}  // namespace

FairPool::FairPool(std::string name, FairPoolLimits limits, std::function<bool(Uid)> may_run)
    : name_(std::move(name)), limits_(limits), may_run_(std::move(may_run)) {}

bool FairPool::run(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return false;
    User& user = users_[work.user];
    const bool is_too_much = user.waiting.size() >= limits_.waiting_per_user ||
                             user.bytes + work.bytes > limits_.bytes_per_user;
    if (is_too_much && !work.is_operator && !work.goes_on && !user.waiting.empty()) return false;
    const std::size_t bytes = work.bytes;
    user.waiting.push_back(std::move(work));
    user.bytes += bytes;
    ++waiting_;
    if (waiting_ > idle_ && threads_.size() < limits_.threads) {
      const SignalsBlocked blocked;
      try {
        threads_.emplace_back([this] { serve(); });
        pthread_setname_np(threads_.back().native_handle(), name_.c_str());
      } catch (const std::exception&) {  // no memory for it: the others have to do
        if (threads_.empty()) {
          user.bytes -= user.waiting.back().bytes;
          user.waiting.pop_back();
          --waiting_;
          throw std::bad_alloc();
        }
      }
    }
  }
  wake_.notify_one();
  return true;
}

bool FairPool::is_busy_for(Uid user) const {
  const std::lock_guard lock(mutex_);
  return users_.contains(user);
}

std::size_t FairPool::busy() const {
  const std::lock_guard lock(mutex_);
  return threads_.size() - idle_;
}

bool FairPool::may_begin(const Users::value_type& entry) const {
  const auto& [uid, user] = entry;
  if (user.waiting.empty()) return false;
  if (user.waiting.front().is_operator) return true;
  return user.running < limits_.running_per_user && (!may_run_ || may_run_(uid));
}

// The user after the one who had the last turn, in a circle.
FairPool::Users::iterator FairPool::next() {
  const auto begin = users_.upper_bound(last_);
  for (auto at = begin; at != users_.end(); ++at)
    if (may_begin(*at)) return at;
  for (auto at = users_.begin(); at != begin; ++at)
    if (may_begin(*at)) return at;
  return users_.end();
}

void FairPool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    auto found = is_stopped_ ? users_.end() : next();
    if (is_stopped_) return;
    if (found == users_.end()) {
      ++idle_;
      if (waiting_ > 0)
        wake_.wait_for(lock, kLookAgain);
      else
        wake_.wait(lock, [this] { return is_stopped_ || waiting_ > 0; });
      --idle_;
      continue;
    }
    const Uid uid = last_ = found->first;
    Work work = std::move(found->second.waiting.front());
    found->second.waiting.pop_front();
    found->second.bytes -= work.bytes;
    ++found->second.running;
    --waiting_;
    lock.unlock();
    call_until_memory_suffices(work.run, [this] {
      const std::lock_guard again(mutex_);
      return is_stopped_;
    });
    work.run = nullptr;
    lock.lock();
    const auto user = users_.find(uid);
    --user->second.running;
    if (user->second.running == 0 && user->second.waiting.empty()) users_.erase(user);
  }
}

void FairPool::stop() {
  std::vector<std::deque<Work>> dropped;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    for (auto& [uid, user] : users_) dropped.push_back(std::exchange(user.waiting, {}));
    waiting_ = 0;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

}  // namespace muster::io
