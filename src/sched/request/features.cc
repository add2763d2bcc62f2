// Parses --constraint, and says which nodes match it.
#include "sched/request/features.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text/strings.h"

namespace muster::sched {

namespace {

bool feature_exists(const Cluster& cluster, std::string_view feature) {
  bool found = false;
  cluster.nodes.each([&](const Node& node) {
    for (const auto* have : {&node.config.features, &node.active_features})
      found = found || std::find(have->begin(), have->end(), feature) != have->end();
  });
  return found;
}

class Parser {
 public:
  Parser(const Cluster& cluster, std::string_view text) : cluster_(cluster), text_(text) {}

  Result<Constraint> run() {
    auto ok = sequence(constraint_.each, '\0', true);
    if (!ok) return std::unexpected(ok.error());
    return std::move(constraint_);
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  static std::unexpected<Error> bad() { return fail(ErrorCode::invalid_feature); }

  // Reads terms up to `close`. Counted and bracketed terms go into the constraint itself.
  Result<void> sequence(std::vector<FeatureTerm>& terms, char close, bool top) {
    bool alternative = false;
    while (true) {
      if (top && peek() == '[') {
        if (auto ok = bracket(); !ok) return ok;
      } else {
        auto one = term();
        if (!one) return std::unexpected(one.error());
        auto nodes = count();
        if (!nodes) return std::unexpected(nodes.error());
        one->alternative = alternative;
        if (*nodes && !top) return bad();
        if (*nodes)
          constraint_.counts.push_back({{std::move(*one)}, *nodes});
        else
          terms.push_back(std::move(*one));
      }
      if (peek() == close) {
        if (close) ++at_;
        return {};
      }
      if (peek() != '&' && peek() != '|' && peek() != ',') return bad();
      alternative = peek() == '|';
      ++at_;
    }
  }

  Result<FeatureTerm> term() {
    FeatureTerm term;
    if (peek() == '(') {
      ++at_;
      if (++depth_ > kMostNested) return bad();
      if (auto ok = sequence(term.group, ')', false); !ok) return std::unexpected(ok.error());
      --depth_;
      return term;
    }
    std::size_t start = at_;
    while (!done() && std::string_view("&|,*()[]").find(peek()) == std::string_view::npos) ++at_;
    std::string_view name = trim(text_.substr(start, at_ - start));
    if (name.empty() || !feature_exists(cluster_, name)) return bad();
    term.name = name;
    return term;
  }

  // "*4"; 0 if there is no count.
  Result<std::uint32_t> count() {
    if (peek() != '*') return 0;
    std::size_t start = ++at_;
    while (std::isdigit(static_cast<unsigned char>(peek()))) ++at_;
    auto nodes = parse_number<std::uint32_t>(text_.substr(start, at_ - start));
    if (!nodes || *nodes == 0) return bad();
    return *nodes;
  }

  // "[a|b]" or "[a*2&b*3]": either all alternatives or all counts.
  Result<void> bracket() {
    ++at_;
    std::optional<bool> counted;
    while (true) {
      auto one = term();
      if (!one) return std::unexpected(one.error());
      auto nodes = count();
      if (!nodes) return std::unexpected(nodes.error());
      const bool has_count = *nodes > 0;
      if (counted.value_or(has_count) != has_count) return bad();
      counted = has_count;
      if (has_count)
        constraint_.counts.push_back({{std::move(*one)}, *nodes});
      else
        constraint_.same.push_back({std::move(*one)});
      char next = peek();
      ++at_;
      if (next == ']') return {};
      if (has_count ? next != '&' && next != ',' : next != '|') return bad();
    }
  }

  const Cluster& cluster_;
  std::string_view text_;
  static constexpr int kMostNested = 32;  // parentheses
  std::size_t at_ = 0;
  int depth_ = 0;
  Constraint constraint_;
};

}  // namespace

Result<Constraint> parse_constraint(const Cluster& cluster, std::string_view text) {
  if (text.empty()) return Constraint{};
  return Parser(cluster, text).run();
}

std::vector<Text> features_in(std::string_view text) {
  std::vector<Text> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("&|,()[]"), text.size());
    const std::string_view word = trim(text.substr(0, end));
    const std::string_view name = trim(word.substr(0, word.find('*')));
    if (!name.empty()) names.emplace_back(name);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

bool has_features(const Node& node, const std::vector<FeatureTerm>& terms) {
  if (terms.empty()) return true;
  const auto& have = node.active_features;
  bool holds = false;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const FeatureTerm& term = terms[i];
    bool here = term.name.empty() ? has_features(node, term.group)
                                  : std::find(have.begin(), have.end(), term.name) != have.end();
    if (i == 0)
      holds = here;
    else
      holds = term.alternative ? holds || here : holds && here;
  }
  return holds;
}

}  // namespace muster::sched
