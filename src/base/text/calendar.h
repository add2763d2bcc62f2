// calendar: hours, days and months of this process's time zone. Each function gives a time that is
// not after, or is after, the one it gets.
#pragma once

#include "base/time.h"

namespace muster {

Time begin_of_hour(Time t);
Time begin_of_day(Time t);
Time begin_of_month(Time t);
Time next_day(Time t);
Time next_month(Time t);

}  // namespace muster
