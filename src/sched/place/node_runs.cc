#include "sched/place/node_runs.h"

#include <algorithm>
#include <functional>

namespace muster::sched {

namespace {

struct Run {
  std::size_t first = 0, end = 0;  // of the offers
  std::uint64_t cpus = 0, tasks = 0;
  std::uint32_t nodes = 0;              // but the required ones, as in the sums
  std::optional<std::size_t> required;  // the first one
};

class Choice {
 public:
  // Nodes with no more free CPUs than this are left out.
  Choice(const std::vector<Offer>& offers, const Need& need, std::uint32_t too_few)
      : offers_(offers), need_(need), too_few_(too_few) {}

  std::optional<std::vector<std::size_t>> make();

 private:
  bool is_member(const Offer& offer) const;
  bool goes_on(const Run& run, std::size_t next) const;
  void find_runs();
  bool suffices(const Run& run) const;
  std::uint64_t rank_of(const Run& run) const { return offers_[run.first].rank; }
  bool is_better(const Run& run, const Run& than) const;
  std::size_t best_run() const;
  bool take_one_node(const Run& run);
  void take_in_order(const Run& run);
  void take_if_useful(std::size_t at);
  void take(std::size_t at);

  std::uint32_t nodes_left() const { return need_.max_nodes - nodes_taken(); }
  std::uint32_t nodes_taken() const { return static_cast<std::uint32_t>(taken_.size()); }
  bool holds_all() const { return held_ >= need_.tasks; }
  bool is_done() const { return nodes_taken() >= need_.wanted_nodes && holds_all(); }
  bool is_over() const { return is_done() || nodes_left() == 0; }

  const std::vector<Offer>& offers_;
  const Need& need_;
  std::uint32_t too_few_;
  std::vector<Run> runs_;
  std::vector<std::size_t> taken_;
  std::uint64_t held_ = 0;  // tasks
};

bool Choice::is_member(const Offer& offer) const {
  if (offer.tasks == 0) return false;
  if (offer.required) return true;
  return offer.cpus > too_few_ && (need_.max_nodes > 1 || offer.tasks >= need_.tasks);
}

bool Choice::goes_on(const Run& run, std::size_t next) const {
  const Offer& last = offers_[run.end - 1];
  if (last.leaf) return offers_[next].leaf == last.leaf && offers_[next].rank == last.rank;
  return run.end == next && offers_[next].place == last.place + 1 &&
         offers_[next].rank == last.rank;
}

void Choice::find_runs() {
  for (std::size_t i = 0; i < offers_.size(); ++i) {
    const Offer& offer = offers_[i];
    if (!is_member(offer)) continue;
    if (runs_.empty() || !goes_on(runs_.back(), i)) runs_.push_back({.first = i, .end = i});
    Run& run = runs_.back();
    run.end = i + 1;
    if (offer.required) {
      if (!run.required) run.required = i;
      continue;
    }
    run.cpus += offer.cpus;
    run.tasks += offer.tasks;
    ++run.nodes;
  }
  std::erase_if(runs_, [](const Run& run) { return run.nodes == 0; });
}

bool Choice::suffices(const Run& run) const {
  return held_ + run.tasks >= need_.tasks && nodes_taken() + run.nodes >= need_.min_nodes;
}

bool Choice::is_better(const Run& run, const Run& than) const {
  if (rank_of(run) != rank_of(than)) return rank_of(run) < rank_of(than);
  if (run.required && !than.required) return true;
  if (!suffices(run)) return run.cpus > than.cpus;
  const bool by_nodes = offers_[run.first].leaf && run.nodes != than.nodes;
  return !suffices(than) || (by_nodes ? run.nodes < than.nodes : run.cpus < than.cpus);
}

std::size_t Choice::best_run() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < runs_.size(); ++i)
    if (is_better(runs_[i], runs_[best])) best = i;
  return best;
}

void Choice::take(std::size_t at) {
  taken_.push_back(at);
  held_ += offers_[at].tasks;
}

bool Choice::take_one_node(const Run& run) {
  if (run.required || nodes_taken() + 1 < need_.wanted_nodes) return false;
  std::optional<std::size_t> tightest;
  for (std::size_t i = run.first; i < run.end; ++i)
    if (is_member(offers_[i]) && held_ + offers_[i].tasks >= need_.tasks &&
        (!tightest || offers_[i].cpus < offers_[*tightest].cpus))
      tightest = i;
  if (tightest) take(*tightest);
  return tightest.has_value();
}

void Choice::take_if_useful(std::size_t at) {
  const Offer& offer = offers_[at];
  if (offer.required || is_over()) return;
  if (nodes_left() > 1 || held_ + offer.tasks >= need_.tasks) take(at);
}

// From the required node upwards, then downwards from it.
void Choice::take_in_order(const Run& run) {
  const std::size_t middle = run.required.value_or(run.first);
  for (std::size_t i = middle; i < run.end; ++i) take_if_useful(i);
  for (std::size_t i = middle; i > run.first; --i) take_if_useful(i - 1);
}

std::optional<std::vector<std::size_t>> Choice::make() {
  std::vector<std::size_t> required;
  for (std::size_t i = 0; i < offers_.size(); ++i)
    if (offers_[i].required) required.push_back(i);
  std::ranges::sort(required, {}, [&](std::size_t i) { return offers_[i].place; });
  std::ranges::for_each(required, [&](std::size_t i) { take(i); });
  if (nodes_taken() > need_.max_nodes) return std::nullopt;
  find_runs();
  while (!is_over() && !runs_.empty()) {
    const std::size_t best = best_run();
    const Run run = runs_[best];
    if (need_.contiguous && !suffices(run)) break;
    if (!take_one_node(run)) take_in_order(run);
    if (need_.contiguous) break;
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(best));
  }
  if (!holds_all() || nodes_taken() < need_.min_nodes) return std::nullopt;
  return std::move(taken_);
}

// The next greater number of free CPUs that some node has.
std::optional<std::uint32_t> fewest_above(const std::vector<Offer>& offers, std::uint32_t bound) {
  std::optional<std::uint32_t> fewest;
  for (const Offer& offer : offers)
    if (offer.tasks > 0 && offer.cpus > bound && (!fewest || offer.cpus < *fewest))
      fewest = offer.cpus;
  return fewest;
}

}  // namespace

bool may_suffice(const std::vector<Offer>& offers, const Need& need) {
  std::uint64_t nodes = 0, tasks = 0;
  std::uint32_t most = 0;
  for (const Offer& offer : offers) {
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

// Where small nodes were taken that leave no room for the rest, it goes without them.
std::optional<std::vector<std::size_t>> choose_offers(const std::vector<Offer>& offers,
                                                      const Need& need) {
  if (!may_suffice(offers, need)) return std::nullopt;
  std::optional<std::uint32_t> too_few = 0;
  while (too_few) {
    if (auto chosen = Choice(offers, need, *too_few).make()) return chosen;
    too_few = fewest_above(offers, *too_few);
  }
  return std::nullopt;
}

}  // namespace muster::sched
