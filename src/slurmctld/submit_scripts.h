// SubmitScripts: asks the site's scripts (JobSubmitPlugins) about submissions and updates of jobs.
// They run in slurmctld-hooks, a few processes with one call at a time, each with a deadline. Users
// take turns, and each has one call at a time: a script that is slow for one user does not keep the
// others waiting, and a user's requests stay in order. A process that dies or takes too long is
// killed, and another is started for the next call.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "config/slurm_conf.h"
#include "io/log_limit.h"
#include "io/loop/fair_pool.h"
#include "io/process/helper.h"
#include "wire/hook_messages.h"

namespace muster::daemon {

struct ScriptOptions {
  std::vector<std::string> plugins;  // "lua", "script"; empty = nobody is asked
  std::string directory;             // of slurm.conf and job_submit.lua
  std::string cluster;
  std::string program;  // JobSubmitScript
  Seconds deadline{2};
  bool accepts_on_failure = false;
  static ScriptOptions of(const config::SlurmConf& conf);
};

// What came of a call: an answer, or the reason why there is none.
struct ScriptOutcome {
  Result<wire::HookAnswer> answer;
  std::vector<std::string> lines;  // for the user
};

class SubmitScripts {
 public:
  explicit SubmitScripts(ScriptOptions options);
  ~SubmitScripts() { stop(); }

  // Loads the scripts for the first time. The error says what is wrong, with file and line.
  Result<void> start();
  void stop();
  const ScriptOptions& options() const { return options_; }
  io::FairPool& pool() { return pool_; }

  ScriptOutcome ask(const wire::HookCall& call);  // on a thread of the pool

 private:
  struct Source {
    std::string text;
    std::uint64_t version = 0;  // 0 = none
  };
  struct Worker {
    std::unique_ptr<io::Helper> helper;
    std::uint64_t version = 0;  // of the source that it has loaded
  };
  using Lines = std::vector<std::string>;

  bool has_lua() const;
  std::string lua_path() const;
  void reload_if_changed();
  Result<Worker> new_worker(io::Deadline deadline);
  Result<Worker> take_worker(io::Deadline deadline);
  void give_back(Worker worker);
  Result<void> load(Worker& worker, const Source& source, io::Deadline deadline);
  Result<wire::HookAnswer> exchange(Worker& worker, const wire::HookRequest& request, Lines& lines,
                                    io::Deadline deadline);
  Result<wire::HookAnswer> converse(Worker& worker, const wire::HookRequest& request, Lines& lines,
                                    io::Deadline deadline);
  void note(const wire::HookLine& line, Lines& lines);
  std::string why_no_answer(Worker& worker, const Error& error) const;

  const ScriptOptions options_;
  io::LogLimit log_{200, Millis{10000}};
  std::mutex mutex_;  // guards the members below
  std::vector<Worker> idle_;
  std::set<const io::Helper*> busy_;
  Source source_;              // the last good one
  std::string stamp_;          // of the file when it was last looked at
  bool is_reloading_ = false;  // one thread does it
  bool is_stopped_ = false;
  // Declared last, so that it stops first.
  io::FairPool pool_;
};

}  // namespace muster::daemon
