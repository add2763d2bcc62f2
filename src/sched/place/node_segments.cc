// Finds the segments, and takes the best one again and again until the need is met.
#include "sched/place/node_segments.h"

#include <algorithm>
#include <functional>

namespace muster::sched {

namespace {

struct Segment {
  std::size_t first = 0, end = 0;  // range of offers
  std::uint64_t cpus = 0, tasks = 0;
  std::uint32_t nodes = 0;              // the sums and this leave out required nodes
  std::optional<std::size_t> required;  // the first required node
};

class SegmentChooser {
 public:
  // Nodes with at most `too_few` free CPUs are left out.
  SegmentChooser(const std::vector<NodeOffer>& offers, const PlacementNeed& need,
                 std::uint32_t too_few)
      : offers_(offers), need_(need), too_few_(too_few) {}

  std::optional<std::vector<std::size_t>> choose();

 private:
  bool is_member(const NodeOffer& offer) const;
  bool extends(const Segment& segment, std::size_t next) const;
  void find_segments();
  bool suffices(const Segment& segment) const;
  std::uint64_t rank_of(const Segment& segment) const { return offers_[segment.first].rank; }
  bool is_better(const Segment& segment, const Segment& than) const;
  std::size_t best_segment() const;
  bool take_one_node(const Segment& segment);
  void take_in_order(const Segment& segment);
  void take_if_useful(std::size_t at);
  void take(std::size_t at);

  std::uint32_t nodes_left() const { return need_.max_nodes - nodes_taken(); }
  std::uint32_t nodes_taken() const { return static_cast<std::uint32_t>(taken_.size()); }
  bool holds_all() const { return held_ >= need_.tasks; }
  bool is_done() const { return nodes_taken() >= need_.wanted_nodes && holds_all(); }
  bool is_over() const { return is_done() || nodes_left() == 0; }

  const std::vector<NodeOffer>& offers_;
  const PlacementNeed& need_;
  std::uint32_t too_few_;
  std::vector<Segment> segments_;
  std::vector<std::size_t> taken_;
  std::uint64_t held_ = 0;  // tasks
};

bool SegmentChooser::is_member(const NodeOffer& offer) const {
  if (offer.tasks == 0) return false;
  if (offer.required) return true;
  return offer.cpus > too_few_ && (need_.max_nodes > 1 || offer.tasks >= need_.tasks);
}

bool SegmentChooser::extends(const Segment& segment, std::size_t next) const {
  const NodeOffer& last = offers_[segment.end - 1];
  if (last.leaf) return offers_[next].leaf == last.leaf && offers_[next].rank == last.rank;
  return segment.end == next && offers_[next].place == last.place + 1 &&
         offers_[next].rank == last.rank;
}

void SegmentChooser::find_segments() {
  for (std::size_t i = 0; i < offers_.size(); ++i) {
    const NodeOffer& offer = offers_[i];
    if (!is_member(offer)) continue;
    if (segments_.empty() || !extends(segments_.back(), i))
      segments_.push_back({.first = i, .end = i});
    Segment& segment = segments_.back();
    segment.end = i + 1;
    if (offer.required) {
      if (!segment.required) segment.required = i;
      continue;
    }
    segment.cpus += offer.cpus;
    segment.tasks += offer.tasks;
    ++segment.nodes;
  }
  std::erase_if(segments_, [](const Segment& segment) { return segment.nodes == 0; });
}

bool SegmentChooser::suffices(const Segment& segment) const {
  return held_ + segment.tasks >= need_.tasks && nodes_taken() + segment.nodes >= need_.min_nodes;
}

bool SegmentChooser::is_better(const Segment& segment, const Segment& than) const {
  if (rank_of(segment) != rank_of(than)) return rank_of(segment) < rank_of(than);
  if (segment.required && !than.required) return true;
  if (!suffices(segment)) return segment.cpus > than.cpus;
  const bool by_nodes = offers_[segment.first].leaf && segment.nodes != than.nodes;
  return !suffices(than) || (by_nodes ? segment.nodes < than.nodes : segment.cpus < than.cpus);
}

std::size_t SegmentChooser::best_segment() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < segments_.size(); ++i)
    if (is_better(segments_[i], segments_[best])) best = i;
  return best;
}

void SegmentChooser::take(std::size_t at) {
  taken_.push_back(at);
  held_ += offers_[at].tasks;
}

bool SegmentChooser::take_one_node(const Segment& segment) {
  if (segment.required || nodes_taken() + 1 < need_.wanted_nodes) return false;
  std::optional<std::size_t> tightest;
  for (std::size_t i = segment.first; i < segment.end; ++i)
    if (is_member(offers_[i]) && held_ + offers_[i].tasks >= need_.tasks &&
        (!tightest || offers_[i].cpus < offers_[*tightest].cpus))
      tightest = i;
  if (tightest) take(*tightest);
  return tightest.has_value();
}

void SegmentChooser::take_if_useful(std::size_t at) {
  const NodeOffer& offer = offers_[at];
  if (offer.required || is_over()) return;
  if (nodes_left() > 1 || held_ + offer.tasks >= need_.tasks) take(at);
}

// Takes nodes from the required node upwards, then downwards from it.
void SegmentChooser::take_in_order(const Segment& segment) {
  const std::size_t middle = segment.required.value_or(segment.first);
  for (std::size_t i = middle; i < segment.end; ++i) take_if_useful(i);
  for (std::size_t i = middle; i > segment.first; --i) take_if_useful(i - 1);
}

std::optional<std::vector<std::size_t>> SegmentChooser::choose() {
  std::vector<std::size_t> required;
  for (std::size_t i = 0; i < offers_.size(); ++i)
    if (offers_[i].required) required.push_back(i);
  std::ranges::sort(required, {}, [&](std::size_t i) { return offers_[i].place; });
  std::ranges::for_each(required, [&](std::size_t i) { take(i); });
  if (nodes_taken() > need_.max_nodes) return std::nullopt;
  find_segments();
  while (!is_over() && !segments_.empty()) {
    const std::size_t best = best_segment();
    const Segment segment = segments_[best];
    if (need_.contiguous && !suffices(segment)) break;
    if (!take_one_node(segment)) take_in_order(segment);
    if (need_.contiguous) break;
    segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(best));
  }
  if (!holds_all() || nodes_taken() < need_.min_nodes) return std::nullopt;
  return std::move(taken_);
}

// The smallest number of free CPUs above the bound that some node has.
std::optional<std::uint32_t> fewest_above(const std::vector<NodeOffer>& offers,
                                          std::uint32_t bound) {
  std::optional<std::uint32_t> fewest;
  for (const NodeOffer& offer : offers)
    if (offer.tasks > 0 && offer.cpus > bound && (!fewest || offer.cpus < *fewest))
      fewest = offer.cpus;
  return fewest;
}

}  // namespace

bool may_suffice(const std::vector<NodeOffer>& offers, const PlacementNeed& need) {
  std::uint64_t nodes = 0, tasks = 0;
  std::uint32_t most = 0;
  for (const NodeOffer& offer : offers) {
    if (offer.tasks == 0) {
      if (offer.required) return false;
      continue;
    }
    ++nodes;
    tasks += offer.tasks;
    most = std::max(most, offer.tasks);
  }
  return nodes >= need.min_nodes && tasks >= need.tasks &&
         std::uint64_t{most} * need.max_nodes >= need.tasks;
}

// Small nodes may use up max_nodes before all tasks have room. Then it tries again without them.
std::optional<std::vector<std::size_t>> choose_offers(const std::vector<NodeOffer>& offers,
                                                      const PlacementNeed& need) {
  if (!may_suffice(offers, need)) return std::nullopt;
  std::optional<std::uint32_t> too_few = 0;
  while (too_few) {
    if (auto chosen = SegmentChooser(offers, need, *too_few).choose()) return chosen;
    too_few = fewest_above(offers, *too_few);
  }
  return std::nullopt;
}

}  // namespace muster::sched
