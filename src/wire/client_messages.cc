// The codec of requests and replies, compiled once, and what views derive from their fields.
#include "wire/client_messages.h"

namespace muster::wire {

std::string_view sharing_name(Sharing sharing) {
  switch (sharing) {
    case Sharing::ok:
      return "OK";
    case Sharing::no:
      return "NO";
    case Sharing::yes:
      return "YES";
    case Sharing::user:
      return "USER";
    case Sharing::mcs:
      return "MCS";
  }
  return "OK";
}

Time JobView::eligible() const {
  const bool held = job->hold != Hold::none;
  const bool depends = reason.view().starts_with("Dependency");
  return job->state == JobState::pending && (held || depends) ? job->own.begin : job->eligible;
}

}  // namespace muster::wire

MUSTER_CODEC(muster::wire::RequestFrame)
MUSTER_CODEC(muster::wire::ReplyFrame)
