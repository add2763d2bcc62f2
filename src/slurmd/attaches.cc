// Keeps waiting connections, counted per user.
#include "slurmd/attaches.h"

#include <unistd.h>

#include <utility>

namespace muster {

WaitingAttaches::~WaitingAttaches() {
  for (auto& [id, attach] : attaches_) close(attach.fd);
}

std::optional<AttachId> WaitingAttaches::add(Attach& attach) {
  if (!quota_.take(attach.session.peer_uid, attach.bytes)) return std::nullopt;
  const AttachId id = ++last_;
  attaches_.emplace(id, std::move(attach));
  return id;
}

std::optional<WaitingAttaches::Attach> WaitingAttaches::take(AttachId id) {
  auto found = attaches_.extract(id);
  if (found.empty()) return std::nullopt;
  quota_.give_back(found.mapped().session.peer_uid, found.mapped().bytes);
  return std::move(found.mapped());
}

}  // namespace muster
