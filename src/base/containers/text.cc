// Allocates the characters of a Text together with its header.
#include "base/containers/text.h"

#include <cstring>
#include <new>

namespace muster {

Text::Text(std::string_view s) {
  if (s.empty()) return;
  void* memory = ::operator new(sizeof(Rep) + s.size());
  rep_ = new (memory) Rep{1, static_cast<std::uint32_t>(s.size())};
  std::memcpy(static_cast<char*>(memory) + sizeof(Rep), s.data(), s.size());
}

void Text::release() {
  if (rep_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    rep_->~Rep();
    ::operator delete(rep_);
  }
}

}  // namespace muster
