// start: how slurmctld logs, where its accounting is, and checks before it serves: the owner of its
// state files, and whether munge answers.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "config/slurm_conf.h"
#include "io/log.h"
#include "slurmctld/database_link.h"
#include "state/accounting_store.h"
#include "state/accounts_store.h"

namespace muster::daemon {

// `verbose`: how often -v was given.
io::LogOptions log_options(const config::SlurmConf& conf, bool foreground, int verbose);

// Fails if state files belong to another user; the error says what to do.
Result<void> check_state_owner(const config::SlurmConf& conf, Uid user);

// Where accounting is kept: here, with slurmdbd, or nowhere.
struct Records {
  std::unique_ptr<AccountingStore> accounting;
  std::unique_ptr<AccountsStore> accounts;
  std::optional<DatabaseLink::Parts> slurmdbd;
};
Result<Records> open_records(const config::SlurmConf& conf, bool no_accounting, Uid slurm_user);

// Warns if munge does not answer: then only clients on this machine can connect. Blocks until munge
// answers.
void warn_without_munge(const config::SlurmConf& conf, Uid user);

}  // namespace muster::daemon
