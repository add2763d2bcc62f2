// What slurmctld does beside its requests: rows for accounting, and snapshots that keep the journal
// short.
#include "io/log.h"
#include "slurmctld/service.h"
#include "state/snapshot.h"

namespace muster::daemon {

namespace {

constexpr BatchNumber kBatchesPerSnapshot = 20000;
constexpr Millis kFeedEvery{5000};
constexpr std::size_t kFeedAtMost = 10000;  // so that whoever asks need not wait for long
constexpr std::size_t kRowsAtOnce = 2000;

}  // namespace

// Accounting knows all that the snapshot makes the journal forget.
void Service::snapshot_if_due() {
  if (snapshot_running_ || core_->committed_batch() < last_snapshot_ + kBatchesPerSnapshot) return;
  snapshot_running_ = true;
  if (!accounting_) return write_snapshot(core_->committed_batch(), core_->committed());
  accounting_thread_->post([this] {
    const BatchNumber known = feed_accounting(Rows::due) ? fed_.number : 0;
    post([this, known, cluster = fed_.cluster] { write_snapshot(known, cluster); });
  });
}

void Service::write_snapshot(BatchNumber number, const Cluster& cluster) {
  if (number <= last_snapshot_) {
    snapshot_running_ = false;  // accounting's trouble is in the log
    return;
  }
  background_->post([this, number, cluster] {
    std::vector<std::string> live;
    cluster.jobs.each([&](const Job& job) {
      for (const Text* hash : {&job.own.script_blob, &job.own.environment_blob})
        if (!hash->empty()) live.push_back(hash->str());
    });
    auto written = store_->write_snapshot(number, encode_snapshot(cluster), live);
    if (!written)
      io::log_error("the state snapshot could not be written: {}", written.error().text());
    post([this, number, ok = written.has_value()] {
      snapshot_running_ = false;
      if (ok) last_snapshot_ = number;
    });
  });
}

// Not at once: a job that changes often is one row then. Whoever asks for rows feeds first.
void Service::account(accounting::AccountingPortion portion) {
  if (!accounting_) return;
  bool has_many = false;
  {
    std::lock_guard lock(unfed_mutex_);
    unfed_.add(std::move(portion));
    has_many = unfed_.changes.size() > kFeedAtMost;
  }
  feed_accounting_later();
  if (has_many && !feeding_.exchange(true))
    accounting_thread_->post([this] {
      feed_accounting(Rows::due);
      feeding_ = false;
    });
}

void Service::feed_accounting_later() {
  if (feed_due_.exchange(true)) return;
  loop_->after(kFeedEvery, [this] {
    feed_due_ = false;
    if (!stopping_) accounting_thread_->post([this] { feed_accounting(Rows::due); });
  });
}

bool Service::feed_accounting(Rows which) {
  {
    std::lock_guard lock(unfed_mutex_);
    if (unfed_.number > fed_.number) fed_.add(std::exchange(unfed_, {}));
  }
  if (which == Rows::all)
    waiting_rows_.bring_back(fed_);
  else
    waiting_rows_.put_off(fed_, current_time());
  if (fed_.changes.empty() && fed_.number == accounting_->last()) return true;
  auto written = write_accounting();
  accounting_->rest();
  if (written) return true;
  io::log_error("accounting records wait: {}", written.error().text());
  feed_accounting_later();
  return false;
}

// The rows of a long queue are made and written some at a time: all of them would take much memory.
// Only the last ones bring the number along, so that a crash between them does no harm.
Result<void> Service::write_accounting() {
  accounting::AccountingChanges& changes = fed_.changes;
  while (changes.jobs.size() > kRowsAtOnce) {
    accounting::AccountingPortion some{.changes = {}, .cluster = fed_.cluster};
    some.changes.jobs = changes.jobs.first(kRowsAtOnce);
    some.changes.gone_jobs = changes.gone_jobs;  // first: they are earlier runs
    if (auto ok = accounting_->ingest(some.records(), accounting_->last()); !ok) return ok;
    changes.jobs.subtract(some.changes.jobs);
    changes.gone_jobs.clear();
  }
  if (auto ok = accounting_->ingest(fed_.records(), fed_.number); !ok) return ok;
  changes = {};
  return {};
}

}  // namespace muster::daemon
