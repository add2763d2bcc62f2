// What `muster explain` prints: an explanation in words, or as JSON.
#pragma once

#include <string>

#include "wire/client_messages.h"

namespace muster::cli {

std::string explanation_text(const wire::ExplainReply& reply);
std::string explanation_json(const wire::ExplainReply& reply);

}  // namespace muster::cli
