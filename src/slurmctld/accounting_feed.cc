// Merges changes, and writes their rows to the accounting store in parts of bounded size.
#include "slurmctld/accounting_feed.h"

#include <new>
#include <utility>

#include "accounting/roll_up.h"
#include "base/text/calendar.h"
#include "io/log.h"
#include "io/wall_clock.h"

namespace muster::daemon {

namespace {

constexpr Millis kFeedEvery{5000};
constexpr std::size_t kFeedAtMost = 10000;  // so that sacct need not wait long
constexpr std::size_t kRowsAtOnce = 2000;
constexpr std::chrono::minutes kTellAgain{10};  // for the same trouble
constexpr Seconds kAfterTheHour{5};             // what ended in the last moment is reported by then

}  // namespace

void AccountingFeed::start(io::Loop& loop) {
  loop_ = &loop;
  thread_ = std::make_unique<io::Worker>("accounting");
}

void AccountingFeed::stop() {
  if (thread_) thread_->stop();
}

void AccountingFeed::post(std::function<void()> work) { thread_->post(std::move(work)); }

// Waiting changes do no harm to queries: they feed accounting first. Adding a delta twice, because
// memory has run out on the way, is as good as once.
void AccountingFeed::add(accounting::AccountingDelta delta) {
  if (!store_) return;
  bool has_many = false;
  {
    std::lock_guard lock(queued_mutex_);
    queued_.add(std::move(delta));
    has_many = queued_.changes.size() > kFeedAtMost;
  }
  feed_later();
  if (!has_many || feeding_.exchange(true)) return;
  try {
    thread_->post([this] {
      feed(Rows::due);
      feeding_ = false;
    });
  } catch (...) {
    feeding_ = false;
    throw;
  }
}

std::size_t AccountingFeed::backlog() const {
  const std::lock_guard lock(queued_mutex_);
  return queued_.changes.size() + unwritten_;
}

void AccountingFeed::feed_later() {
  if (feed_due_.exchange(true)) return;
  try {
    loop_->after(kFeedEvery, [this] {
      feed_due_ = false;
      if (!stopping_) thread_->post([this] { feed(Rows::due); });
    });
  } catch (...) {
    feed_due_ = false;
    throw;
  }
}

bool AccountingFeed::feed(Rows which) {
  Result<void> told;
  try {
    told = tell(which);
  } catch (const std::bad_alloc&) {
    told = fail("there is not enough memory");
  }
  if (told) {
    if (std::exchange(trouble_, {}).empty()) return true;
    io::log_info("accounting records are written again");
    tell_trouble(false);
    return true;
  }
  // This is retried for as long as it takes. Nothing is lost meanwhile, and jobs do not depend on
  // it.
  const std::string why = told.error().text();
  const auto now = std::chrono::steady_clock::now();
  if (trouble_.empty()) tell_trouble(true);
  if (why != trouble_ || now - trouble_told_ > kTellAgain) {
    io::log_error("accounting records wait: {}", why);
    trouble_ = why;
    trouble_told_ = now;
  }
  feed_later();
  return false;
}

void AccountingFeed::tell_trouble(bool failed) {
  loop_->post([this, failed] {
    if (!stopping_ && on_trouble_) on_trouble_(failed);
  });
}

Result<void> AccountingFeed::tell(Rows which) {
  {
    std::lock_guard lock(queued_mutex_);
    if (queued_.number > ingested_.number) {
      accounting::AccountingDelta both = ingested_;
      both.add(queued_);
      ingested_ = std::move(both);  // all of it, or nothing if memory is short
      queued_ = {};
    }
  }
  if (which == Rows::all)
    waiting_rows_.bring_back(ingested_);
  else
    waiting_rows_.put_off(ingested_, timekeeper_.at(io::steady_clock()));
  unwritten_ = ingested_.changes.size();
  if (ingested_.changes.empty() && ingested_.number == store_->last()) return {};
  auto written = write();
  unwritten_ = ingested_.changes.size();
  store_->rest();
  if (on_written_) on_written_();
  return written;
}

void AccountingFeed::keep_usage() {
  if (store_) thread_->post([this] { roll_up_some(); });
}

void AccountingFeed::roll_up_at_the_hour() {
  loop_->post([this] {
    if (stopping_) return;
    const Time now = timekeeper_.at(io::steady_clock());
    const Time next = begin_of_hour(now) + Seconds{3600} + kAfterTheHour;
    loop_->after(next - now, [this] {
      if (!stopping_) thread_->post([this] { roll_up_some(); });
    });
  });
}

// A day at a time, so that sacct need not wait for a year.
void AccountingFeed::roll_up_some() {
  if (stopping_) return;
  Result<bool> more = false;
  try {
    feed(Rows::all);
    more = accounting::roll_up(*store_, timekeeper_.at(io::steady_clock()));
  } catch (const std::bad_alloc&) {
    more = fail("there is not enough memory");
  }
  if (!more) io::log_error("usage for reports waits: {}", more.error().text());
  if (more && *more) return thread_->post([this] { roll_up_some(); });
  roll_up_at_the_hour();
}

Result<void> AccountingFeed::roll_up_all() {
  for (;;) {
    if (stopping_) return fail("slurmctld ends");
    auto more = accounting::roll_up(*store_, timekeeper_.at(io::steady_clock()));
    if (!more) return std::unexpected(more.error());
    if (!*more) return {};
  }
}

// Writes the rows in parts, because all rows of a long queue would take much memory. Only the last
// part advances the batch number, so a crash in between does no harm.
Result<void> AccountingFeed::write() {
  accounting::AccountingChanges& changes = ingested_.changes;
  while (changes.jobs.size() > kRowsAtOnce) {
    accounting::AccountingDelta some{.changes = {}, .cluster = ingested_.cluster};
    some.changes.jobs = changes.jobs.first(kRowsAtOnce);
    some.changes.gone_jobs = changes.gone_jobs;  // these come first, because they are earlier runs
    if (auto ok = store_->ingest(some.records(), store_->last()); !ok) return ok;
    changes.jobs.subtract(some.changes.jobs);
    changes.gone_jobs.clear();
  }
  if (auto ok = store_->ingest(ingested_.records(), ingested_.number); !ok) return ok;
  changes = {};
  return {};
}

}  // namespace muster::daemon
