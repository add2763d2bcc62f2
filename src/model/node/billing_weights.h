// BillingWeights: what a partition charges for resources (TRESBillingWeights).
#pragma once

#include <string_view>
#include <vector>

#include "base/containers/parsed_text.h"
#include "base/result.h"

namespace muster {

struct BillingWeight {
  Text name;          // "cpu", "mem", "gres/gpu", in lower case
  double weight = 0;  // of one, of memory for each MiB; may be negative
  bool operator==(const BillingWeight&) const = default;
};
using BillingWeights = std::vector<BillingWeight>;

// "CPU=1.0,Mem=0.25G,GRES/gpu=2.0,license/matlab=1": of memory for each KiB, MiB, GiB or TiB.
Parsed<BillingWeights> parse_billing_weights(std::string_view text);

using BillingWeightList = ParsedText<parse_billing_weights>;

}  // namespace muster
