// Between commands and the controller: requests, replies and the frames around them. A request has
// an id and gets one or more replies; all but the last of them have ReplyFrame::more set.
#pragma once

#include <cstdint>

#include "base/codec/codec.h"
#include "wire/replies.h"
#include "wire/requests.h"

namespace muster::wire {

struct RequestFrame {
  std::uint64_t id = 0;
  Request request;
  bool closes_after_reply =
      false;  // the client asks nothing else: the connection may end with the answer
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, request);
    v(3, closes_after_reply);
  }
};
struct ReplyFrame {
  std::uint64_t id = 0;
  bool more = false;
  Answer answer;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, more);
    v(3, answer);
  }
};

}  // namespace muster::wire

MUSTER_DECLARE_CODEC(muster::wire::RequestFrame)
MUSTER_DECLARE_CODEC(muster::wire::ReplyFrame)
