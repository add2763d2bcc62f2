// Users: submit jobs as sbatch does, each over a connection of its own, several at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "io/net/channel.h"
#include "model/job/job_spec.h"

namespace muster::bench {

// A job of a mixed load: one to four CPUs, some on two nodes, of ten users.
JobRequest mixed_job(std::uint64_t number);

struct JobToSubmit {
  JobRequest spec;
  std::string script;
  std::string environment;  // the bytes of a StringBlock
};

class Users {
 public:
  Users(io::Endpoint controller, std::uint32_t at_once);

  // Submits and waits for the acknowledgement.
  JobId submit(JobToSubmit job) const;
  void submit(const JobRequest& spec) const;  // with a script and an environment like any other's
  // Submits jobs number `first` up to but not including `last`, as make(number) returns them.
  void submit_each(std::uint64_t first, std::uint64_t last,
                   const std::function<JobToSubmit(std::uint64_t)>& make) const;
  // Submits jobs number `first` up to but not including `last`. Each waits until may_go(number) is
  // true; on_acknowledged() is called on any thread.
  void submit_mixed(std::uint64_t first, std::uint64_t last,
                    const std::function<bool(std::uint64_t)>& may_go,
                    const std::function<void()>& on_acknowledged) const;

 private:
  void in_parallel(std::uint64_t first, std::uint64_t last,
                   const std::function<void(std::uint64_t)>& work) const;

  io::Endpoint controller_;
  std::uint32_t at_once_;
  std::string environment_;  // the bytes of a StringBlock
};

}  // namespace muster::bench
