// JobSocket: how processes of jobs talk to this slurmd. SlurmdSpoolDir/notices has a socket and,
// for each job that was told of a stop, a file that only its user can read. A caller is known by
// what the kernel says about the connection: its user, and the process, which must belong to a step
// of that user here. It reaches its own job only.
//
// Clients need neither munge nor a configuration, only this directory: it may be mounted into a
// container.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "io/loop/loop.h"
#include "node/job_words.h"
#include "node/user_quota.h"

namespace muster {

class JobSocket {
 public:
  struct Callbacks {
    std::function<bool(Uid user)> has_job;
    std::function<std::optional<AttemptRef>(pid_t process, Uid user)> job_of;
    std::function<JobAskId(AttemptRef, JobAsk, Seconds)> ask;
  };
  JobSocket(io::Loop& loop, const std::string& spool_dir, Callbacks callbacks);
  ~JobSocket();
  JobSocket(const JobSocket&) = delete;
  JobSocket& operator=(const JobSocket&) = delete;

  // Keeps the notices of jobs for which `runs` is true, and removes what else an earlier start
  // left.
  Result<void> listen(const std::function<bool(AttemptRef)>& runs);
  std::string notice_path(AttemptRef attempt) const;

  // The file appears as a whole. Everybody may read it: if it were the user's, the user could make
  // it writable, and fill slurmd's disk.
  void post(AttemptRef attempt, const StopNotice& notice);
  void forget(AttemptRef attempt);  // the job has left
  void answer(JobAskId id, std::string_view refusal, Seconds granted);

 private:
  struct Caller {
    Uid user;
    AttemptRef attempt;
    std::string unread = {};
    bool waits = false;
    JobAskId ask = 0;
  };
  void on_connection(int fd);
  void on_readable(int fd);
  void act(int fd, Caller& caller, std::string_view line);
  void ask(int fd, Caller& caller, JobAsk what, Seconds by);
  void reply(int fd, const std::string& text);  // and ends the connection
  void close(int fd);
  void refuse(int fd, std::string_view why);
  bool connects_too_often(Uid user);
  void write_notice(AttemptRef attempt, const std::string& text) const;
  Result<void> write_file(const std::string& path, const std::string& text) const;

  io::Loop& loop_;
  std::string directory_;
  Callbacks callbacks_;
  int listener_ = -1;  // closed by the loop's listener, which this shuts down
  std::map<int, Caller> callers_;
  std::map<AttemptRef, std::string> notices_;
  struct Asking {  // how often a job has asked the controller for something
    Time since;
    int count = 0;
  };
  std::map<AttemptRef, Asking> asking_;
  std::map<Uid, Asking> connecting_;
  UserQuota quota_{{.count_of_user = 256, .bytes_of_user = 256, .count_of_all = 4096}};
};

}  // namespace muster
