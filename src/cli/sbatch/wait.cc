// sbatch --wait: waits for the end of the job and returns its exit code.
#include "cli/sbatch/wait.h"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "cli/lib/errors.h"

namespace muster::cli {

int exit_code_of(const std::vector<wire::JobView>& jobs) {
  int code = 0;
  for (const wire::JobView& view : jobs) {
    const Job& job = *view.job;
    int status = static_cast<int>(job.run->exit_status);
    bool cancelled = job.state == JobState::cancelled;
    int own = WIFEXITED(status) ? WEXITSTATUS(status) : kExitFailure;
    if (own == 0 && job.state != JobState::completed && !cancelled) own = kExitFailure;
    code = std::max(code, own);
  }
  return code;
}

namespace {

bool is_connection_lost(ErrorCode code) {
  return code == ErrorCode::communication || code == ErrorCode::zero_bytes ||
         code == ErrorCode::failure || code == ErrorCode::timed_out;
}

Result<wire::Answer> ask_and_wait(Controller& controller, JobId job) {
  if (auto sent = controller.send(wire::WaitJobRequest{job, false}); !sent)
    return std::unexpected(sent.error());
  return controller.receive(Millis::max());
}

}  // namespace

int wait_for_end(Controller& controller, JobId job) {
  using namespace std::chrono_literals;
  while (true) {
    auto answer = ask_and_wait(controller, job);
    if (answer) {
      if (auto* reply = std::get_if<wire::JobsReply>(&*answer)) return exit_code_of(reply->jobs);
      print_error("sbatch", error_text(ErrorCode::protocol_version));
      return failure_code();
    }
    if (!is_connection_lost(answer.error().code)) {
      print_error("sbatch",
                  fmt::format("Unable to wait for job {}: {}", job.value, answer.error().text()));
      return failure_code();
    }
    // While the controller is away, the job and the wait go on.
    while (true) {
      std::this_thread::sleep_for(1s);
      auto again = Controller::connect(controller.config());
      if (!again) continue;
      controller = std::move(*again);
      break;
    }
  }
}

}  // namespace muster::cli
