// Work besides requests: writes snapshots that keep the journal short, and lines about events.
#include <string>
#include <utility>
#include <vector>

#include "io/log.h"
#include "slurmctld/service.h"
#include "state/snapshot.h"

namespace muster::daemon {

namespace {

constexpr BatchNumber kBatchesPerSnapshot = 20000;

}  // namespace

// Accounting is fed before the snapshot is written, because the snapshot removes journal entries.
void Service::snapshot_if_due() {
  if (snapshot_running_ || core_->ledger().committed_batch() < last_snapshot_ + kBatchesPerSnapshot)
    return;
  if (!accounting_.has_store())
    return write_snapshot(core_->ledger().committed_batch(), core_->committed());
  accounting_.post([this] {
    const bool ok = accounting_.feed(AccountingFeed::Rows::due);
    const accounting::AccountingDelta& ingested = accounting_.ingested();
    post([this, known = ok ? ingested.number : 0, cluster = ingested.cluster] {
      write_snapshot(known, cluster);
    });
  });
  snapshot_running_ = true;
}

void Service::write_snapshot(BatchNumber number, const Cluster& cluster) {
  if (number <= last_snapshot_) {
    snapshot_running_ = false;  // accounting failed; that is in the log
    return;
  }
  background_->post([this, number, cluster] {
    std::vector<std::string> live;
    cluster.jobs.each([&](const Job& job) {
      for (const Text* hash : {&job.own.script_blob, &job.own.environment_blob})
        if (!hash->empty()) live.push_back(hash->str());
    });
    Result<void> written;
    try {
      written = store_->write_snapshot(number, encode_snapshot(cluster), live);
    } catch (const std::bad_alloc&) {
      written = fail("there is not enough memory");
    }
    if (!written)
      io::log_error("the state snapshot could not be written: {}", written.error().text());
    post([this, number, ok = written.has_value()] {
      snapshot_running_ = false;
      if (ok) last_snapshot_ = number;
    });
  });
  snapshot_running_ = true;
}

// A name that is not known yet is asked for aside: its line comes a little later.
void Service::log_event(LogEntry entry) {
  if (io::log_level() < io::LogLevel::info) return;
  io::LogLimit& limit = entry.what.starts_with("job ") ? job_events_ : other_events_;
  if (!entry.by) return limit.write(io::LogLevel::info, entry);
  const Uid by = *entry.by;
  users_.when_known(*loop_, by, [this, by, &limit, entry = std::move(entry)]() mutable {
    const auto user = users_.cache().find(by);
    const bool named = user && !user->name.empty();
    entry.facts.push_back({"By", named ? user->name.str() : std::to_string(by.value)});
    limit.write(io::LogLevel::info, entry);
  });
}

}  // namespace muster::daemon
