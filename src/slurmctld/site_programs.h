// SitePrograms: runs programs of the site: PrologSlurmctld, MailProg, SuspendProgram and so on.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "config/slurm_conf.h"
#include "controller/effects/outgoing.h"
#include "io/loop/loop.h"
#include "io/process/program.h"

namespace muster::daemon {

class SitePrograms {
 public:
  // Called on any thread. Ends of mail programs are not reported.
  using OnEnd = std::function<void(const controller::SiteProgramRun&, bool succeeded)>;
  explicit SitePrograms(OnEnd on_end) : on_end_(std::move(on_end)) {}

  void run(io::Loop& loop, const config::SlurmConf& conf, controller::SiteProgramRun run);
  void forget();  // nothing more is reported

 private:
  void start(const controller::SiteProgramRun& run, io::ProgramRun program);
  void send_mail(const controller::SiteProgramRun& run, io::ProgramRun program);

  static constexpr std::size_t kMailsAtOnce = 8;
  OnEnd on_end_;
  io::ProgramRunner programs_, mails_{kMailsAtOnce};
};

}  // namespace muster::daemon
