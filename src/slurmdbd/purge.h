// Purge: removes jobs, steps and transactions that are older than slurmdbd.conf keeps them, in
// small portions. Where it says so, each portion is written to a file in ArchiveDir first.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/files/slurmdbd_conf.h"
#include "slurmdbd/store/sql.h"

namespace muster::dbd {

class Purge {
 public:
  explicit Purge(SqlDatabase& database) : database_(database) {}

  Result<void> run(const config::DbdConf& conf, Time now);
  void stop() { is_stopped_ = true; }  // after the portion under way

 private:
  Result<std::size_t> purge_jobs(const config::DbdConf& conf, Time before);
  Result<std::size_t> purge_steps(const config::DbdConf& conf, Time before);
  Result<std::size_t> purge_transactions(const config::DbdConf& conf, Time before);

  SqlDatabase& database_;
  std::atomic<bool> is_stopped_ = false;
};

}  // namespace muster::dbd
