// Wipes the bytes of a Secret, those behind its end included.
#include "base/containers/secret.h"

#include <strings.h>

namespace muster {

void Secret::wipe(std::string& bytes) {
  bytes.resize(bytes.capacity());
  ::explicit_bzero(bytes.data(), bytes.size());
  bytes.clear();
}

}  // namespace muster
