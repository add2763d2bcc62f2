// Connections that wait for their steps. Their number, and the memory that they hold, is limited
// per user.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "io/net/channel.h"
#include "node/host.h"
#include "node/user_quota.h"
#include "wire/step_messages.h"

namespace muster {

class WaitingAttaches {
 public:
  struct Attach {
    int fd = -1;
    io::SessionState session;
    wire::AttachRequest request;
    std::size_t bytes = 0;  // held while it waits
  };
  WaitingAttaches() = default;
  ~WaitingAttaches();  // closes the connections
  WaitingAttaches(const WaitingAttaches&) = delete;
  WaitingAttaches& operator=(const WaitingAttaches&) = delete;

  // Nothing if the user has too many; then `attach` is unchanged.
  std::optional<AttachId> add(Attach& attach);
  std::optional<Attach> take(AttachId id);

 private:
  std::map<AttachId, Attach> attaches_;
  UserQuota quota_{{.count_of_user = 256, .bytes_of_user = 16u << 20, .count_of_all = 2048}};
  AttachId last_ = 0;
};

}  // namespace muster
