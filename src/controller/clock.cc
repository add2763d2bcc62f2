// Changes of the clock. A step of the controller's clock changes nothing for running jobs, and a
// standstill makes no node late.
#include <fmt/format.h>

#include <cmath>

#include "controller/core.h"
#include "controller/jobs/usage.h"

namespace muster::controller {

void Core::on_clock_step(Millis by, Time now) {
  ledger_.set_now(now);
  ledger_.log(fmt::format("the clock went {} by {:.1f} s: time limits and waits do not count that",
                          by > Millis{0} ? "forward" : "back",
                          std::abs(static_cast<double>(by.count())) / 1000));
  attempts_.all_or_nothing([&] {
    count_usage(ledger_, now - by);  // while all times are still those of the old clock
    ledger_.record(ClockStepped{by});
  });
  links_.on_clock_step(by);
  steps_.on_clock_step(by);
  allocations_.on_clock_step(by);
  reservations_.on_clock_step(by);
  planning_.on_clock_step(by);
  statistics_.on_clock_step(by);
  triggers_.on_clock_step(by);
  usage_clock_.on_clock_step(by);
  power_.on_clock_step(by);
  ledger_.want_plan();
}

// During the standstill nobody could reach the controller, so no node counts as silent.
void Core::on_standstill(Millis span, Time now) {
  ledger_.set_now(now);
  ledger_.log(fmt::format("stood still for {:.1f} s: SlurmdTimeout does not count that time",
                          static_cast<double>(span.count()) / 1000));
  links_.on_standstill(span);
  allocations_.on_standstill(span);
}

}  // namespace muster::controller
