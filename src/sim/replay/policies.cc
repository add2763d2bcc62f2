// Textbook schedulers to compare Muster's with: first come first served, backfill.
#include "sim/replay/policies.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "sim/replay/muster_policy.h"

namespace muster::sim {

// --- FutureCpus ---

void FutureCpus::change(Seconds from, std::int64_t cpus) {
  auto at = free_at_.lower_bound(from);
  if (at == free_at_.end() || at->first != from)
    at = free_at_.emplace_hint(at, from, std::prev(at)->second);
  for (; at != free_at_.end(); ++at) at->second += cpus;
}

Seconds FutureCpus::earliest(Seconds from, Seconds length, std::int64_t cpus) const {
  auto begin = std::prev(free_at_.upper_bound(std::max(from, free_at_.begin()->first)));
  Seconds at = std::max(from, begin->first);
  for (auto step = begin; step != free_at_.end(); ++step) {
    if (step->first >= at + length) return at;
    if (step->second >= cpus) continue;
    auto next = std::next(step);
    CHECK(next != free_at_.end(), "a job is larger than the machine");
    at = next->first;
  }
  return at;
}

void FutureCpus::take(Seconds at, Seconds length, std::int64_t cpus) {
  change(at, -cpus);
  change(at + length, cpus);
}

// --- shared by the policies ---

void PoolPolicy::on_submitted(std::size_t job, Seconds) {
  queue_.push_back(job);
  changed_ = true;
}

void PoolPolicy::on_ended(std::size_t job, Seconds) {
  free_ += trace_[job].cpus;
  leaves_at_.erase(job);
  changed_ = true;
}

void PoolPolicy::start(std::size_t job, Seconds now) {
  free_ -= trace_[job].cpus;
  leaves_at_[job] = now + trace_[job].limit;
}

std::vector<std::size_t> PoolPolicy::start_in_order(Seconds now, std::size_t depth) {
  std::vector<std::size_t> started;
  while (!queue_.empty() && started.size() < depth && fits(queue_.front())) {
    started.push_back(queue_.front());
    start(queue_.front(), now);
    queue_.pop_front();
  }
  return started;
}

FutureCpus PoolPolicy::future_cpus(Seconds now, Seconds resolution) const {
  FutureCpus future(now, free_);
  for (const auto& [job, leaves] : leaves_at_) {
    const Seconds at = (leaves + resolution - Seconds{1}) / resolution * resolution;
    future.release(std::max(at, now + Seconds{1}), trace_[job].cpus);
  }
  return future;
}

// --- the policies ---

std::vector<std::size_t> FifoPolicy::starts(Seconds now) {
  return start_in_order(now, queue_.size());
}

std::vector<std::size_t> EasyPolicy::starts(Seconds now) {
  std::vector<std::size_t> started = start_in_order(now, queue_.size());
  if (queue_.empty()) return started;
  FutureCpus later = future_cpus(now, Seconds{1});
  const TraceJob& first = trace_[queue_.front()];
  later.take(later.earliest(now, first.limit, first.cpus), first.limit, first.cpus);
  for (auto job = queue_.begin() + 1; job != queue_.end();) {
    const TraceJob& j = trace_[*job];
    if (!fits(*job) || later.earliest(now, j.limit, j.cpus) != now) {
      ++job;
      continue;
    }
    later.take(now, j.limit, j.cpus);
    start(*job, now);
    started.push_back(*job);
    job = queue_.erase(job);
  }
  return started;
}

std::vector<std::size_t> BackfillPolicy::starts(Seconds now) {
  std::vector<std::size_t> started = start_in_order(now, options_.default_queue_depth);
  if (now >= last_pass_ + options_.bf_interval && changed_ && !queue_.empty()) {
    backfill(now, started);
    last_pass_ = now;
    changed_ = false;
  }
  return started;
}

void BackfillPolicy::backfill(Seconds now, std::vector<std::size_t>& started) {
  FutureCpus later = future_cpus(now, options_.bf_resolution);
  std::size_t tested = 0;
  for (auto job = queue_.begin(); job != queue_.end() && tested < options_.bf_max_job_test;
       ++tested) {
    const TraceJob& j = trace_[*job];
    const Seconds length = (j.limit + options_.bf_resolution - Seconds{1}) /
                           options_.bf_resolution * options_.bf_resolution;
    const Seconds at = later.earliest(now, length, j.cpus);
    if (at <= now + options_.bf_window) later.take(at, length, j.cpus);
    if (at != now || !fits(*job)) {
      ++job;
      continue;
    }
    start(*job, now);
    started.push_back(*job);
    job = queue_.erase(job);
  }
}

// Looking again at an unchanged state finds nothing new.
std::optional<Seconds> BackfillPolicy::next_look() const {
  if (!changed_ || queue_.empty()) return std::nullopt;
  return last_pass_ + options_.bf_interval;
}

std::unique_ptr<Policy> make_policy(std::string_view name, const std::vector<TraceJob>& trace,
                                    const Machine& machine) {
  if (name == "muster") return std::make_unique<MusterPolicy>(trace, machine);
  if (name == "backfill")
    return std::make_unique<BackfillPolicy>(trace, machine, BackfillPolicy::Options{});
  if (name == "easy") return std::make_unique<EasyPolicy>(trace, machine);
  if (name == "fifo") return std::make_unique<FifoPolicy>(trace, machine);
  return nullptr;
}

}  // namespace muster::sim
