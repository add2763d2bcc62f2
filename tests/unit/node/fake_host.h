// A NodeHost that records what it is asked to do.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "node/agent.h"
#include "node/host.h"

namespace muster {

inline const Time t0 = from_unix_seconds(1'800'000'000);
inline const wire::StepRef kBatch{JobId{12}, Attempt{1}, kBatchStep};
inline const wire::StepRef kStep0{JobId{12}, Attempt{1}, StepId{0}};

class FakeHost : public NodeHost {
 public:
  std::vector<std::string> calls;
  std::vector<wire::Report> reports;
  std::string spawn_error;
  ErrorCode spawn_error_code = ErrorCode::failure;

  NodeFacts facts() override { return {.boot_id = "boot", .arch = {}, .os = {}, .version = {}}; }
  NodeVitals vitals() override { return {0.5, 100}; }
  Result<void> spawn(const wire::StepLaunch& launch) override {
    if (!spawn_error.empty()) return fail(spawn_error_code, spawn_error);
    note("spawn", launch.ref);
    return {};
  }
  void signal(const wire::StepRef& step, int number, SignalScope scope) override {
    constexpr std::string_view kScopes[] = {" leader", "", " notice"};
    note(fmt::format("signal {}{}", number, kScopes[static_cast<std::size_t>(scope)]), step);
  }
  void suspend(const wire::StepRef& step, bool resume) override {
    note(resume ? "resume" : "suspend", step);
  }
  void announce(const wire::StepRef& step, std::string_view suffix, bool ends_step) override {
    note(fmt::format("announce{}{}", suffix, ends_step ? "" : " signal"), step);
  }
  void notify(const wire::StepRef& step, std::string_view text) override {
    note(fmt::format("notify \"{}\"", text), step);
  }
  void post_notice(AttemptRef attempt, const StopNotice& notice) override {
    calls.push_back(fmt::format("notice {}.{} {} {} ms", attempt.job.value, attempt.attempt.value,
                                reason_name(notice.reason), notice.left.count()));
  }
  void answer_job(JobAskId id, std::string_view refusal, Seconds granted) override {
    calls.push_back(fmt::format("answer {} \"{}\" {}", id, refusal, granted.count()));
  }
  void forget(const wire::StepRef& step) override { note("forget", step); }
  void send(const wire::ReportBatch& batch) override {
    reports.insert(reports.end(), batch.reports.begin(), batch.reports.end());
  }
  void store_epoch(Epoch epoch) override { calls.push_back(fmt::format("epoch {}", epoch.value)); }
  void hand_over(AttachId id, const wire::StepRef& step) override {
    note(fmt::format("hand over {}", id), step);
  }
  void refuse(AttachId id, std::string_view why) override {
    calls.push_back(fmt::format("refuse {}: {}", id, why));
  }
  void run_program(NodeProgram program, AttemptRef attempt,
                   const std::vector<std::string>& environment) override {
    constexpr std::string_view kNames[] = {"prolog", "epilog", "init"};
    calls.push_back(fmt::format("{} {}.{} {}", kNames[static_cast<std::size_t>(program)],
                                attempt.job.value, attempt.attempt.value,
                                fmt::join(environment, " ")));
  }
  void note_prepared(AttemptRef attempt, bool prepared) override {
    if (prepared)
      this->prepared.insert(attempt);
    else
      this->prepared.erase(attempt);
  }
  std::set<AttemptRef> prepared;
  void clean_up(AttemptRef attempt) override { cleaned.push_back(attempt); }
  std::vector<AttemptRef> cleaned;
  void check_health() override { calls.push_back("check health"); }
  void reboot() override { calls.push_back("reboot"); }
  void reconfigure() override { calls.push_back("reconfigure"); }
  void shutdown() override { calls.push_back("shutdown"); }
  void log_error(std::string_view line) override { logged.emplace_back(line); }

  std::vector<std::string> take_calls() { return std::exchange(calls, {}); }
  template <class T>
  std::vector<T> take_reports() {
    std::vector<T> found;
    for (const wire::Report& report : reports)
      if (auto* r = std::get_if<T>(&report)) found.push_back(*r);
    reports.clear();
    return found;
  }
  std::vector<std::string> logged;

 private:
  void note(std::string what, const wire::StepRef& ref) {
    calls.push_back(
        fmt::format("{} {}.{}.{}", what, ref.job.value, ref.attempt.value, step_name(ref.step)));
  }
};

}  // namespace muster
