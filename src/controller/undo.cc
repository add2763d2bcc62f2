// A request that runs out of memory is undone: the open batch is what it was before, and the
// working state is made again from what was sealed last and the events that are left.
#include <algorithm>
#include <new>
#include <stdexcept>

#include "base/check.h"
#include "base/codec/codec.h"
#include "controller/core.h"
#include "controller/steps/step_demand.h"
#include "controller/submit/request_check.h"
#include "state/apply.h"

namespace muster::controller {

void Core::on_request(ReplyTo to, Caller caller, wire::Request request, Time now) {
  now_ = now;
  const OpenMark before = mark();
  try {
    if (auto ok = check_request(cluster_.settings().request_limits, request); !ok)
      return answer(to, ok.error());
    return handle(to, caller, request, now);
  } catch (const std::bad_alloc&) {
    // A handler that has begun to change things may have left any of them half done.
  } catch (const std::length_error&) {
  }
  request = {};
  undo_since(before);
  host_.log_error("a request needs more memory than there is: refused");
  answer(to, Error{ErrorCode::too_large, "there is not enough memory for this request"});
}

Core::OpenMark Core::mark() const {
  return {open_.events.size(), open_.blobs.size(),    open_.replies.size(),
          open_.orders.size(), open_.programs.size(), open_.patient_replies};
}

void Core::undo_since(const OpenMark& mark) noexcept {
  auto cut = [](auto& list, std::size_t size) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(std::min(size, list.size())), list.end());
  };
  cut(open_.events, mark.events);
  cut(open_.blobs, mark.blobs);
  cut(open_.replies, mark.replies);
  cut(open_.orders, mark.orders);
  cut(open_.programs, mark.programs);
  open_.patient_replies = mark.patient_replies;
  cluster_ = in_flight_ ? in_flight_->cluster : committed_;
  open_.changes = {};
  for (const std::string& bytes : open_.events) {
    auto entry = decode<EventEntry>(bytes);
    CHECK(entry.has_value());
    open_.changes.note(cluster_, entry->event);
    muster::apply(cluster_, entry->event);
  }
  watch_list_.make_anew(cluster_);
  known_fits_.forget();
  order_changed_ = true;
  // Nothing remembers what has not happened.
  std::erase_if(allocation_owners_,
                [&](const auto& entry) { return !cluster_.jobs.contains(entry.second); });
  std::erase_if(first_steps_,
                [&](const auto& entry) { return !cluster_.jobs.contains(entry.first); });
  std::erase_if(step_launches_, [&](const auto& entry) {
    const auto& [job, step] = entry.first;
    const Job* record = cluster_.jobs.find(job);
    return !record || is_step_over(*record, step);
  });
}

}  // namespace muster::controller
