// Parses --constraint.
#include "model/job/constraint.h"

#include <cctype>
#include <optional>

#include "base/text/strings.h"

namespace muster {

namespace {

void add_names(const std::vector<FeatureTerm>& terms, std::vector<Text>& names) {
  for (const FeatureTerm& term : terms) {
    if (!term.name.empty()) names.push_back(term.name);
    add_names(term.group, names);
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Parsed<Constraint> run() {
    auto ok = sequence(constraint_.each, '\0', true);
    if (!ok) return std::unexpected(ok.error());
    return std::move(constraint_);
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  static std::unexpected<ErrorCode> bad() { return std::unexpected(ErrorCode::invalid_feature); }

  // Reads terms up to `close`. Counted and bracketed terms go into the constraint itself.
  Parsed<void> sequence(std::vector<FeatureTerm>& terms, char close, bool top) {
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
      if (close ? peek() == close : done()) {
        if (close) ++at_;
        return {};
      }
      if (peek() != '&' && peek() != '|' && peek() != ',') return bad();
      alternative = peek() == '|';
      ++at_;
    }
  }

  Parsed<FeatureTerm> term() {
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
    if (name.empty()) return bad();
    term.name = name;
    return term;
  }

  // "*4"; 0 if there is no count.
  Parsed<std::uint32_t> count() {
    if (peek() != '*') return 0;
    std::size_t start = ++at_;
    while (std::isdigit(static_cast<unsigned char>(peek()))) ++at_;
    auto nodes = parse_number<std::uint32_t>(text_.substr(start, at_ - start));
    if (!nodes || *nodes == 0) return bad();
    return *nodes;
  }

  // "[a|b]" or "[a*2&b*3]": either all alternatives or all counts.
  Parsed<void> bracket() {
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

  std::string_view text_;
  static constexpr int kMostNested = 32;  // parentheses
  std::size_t at_ = 0;
  int depth_ = 0;
  Constraint constraint_;
};

}  // namespace

Parsed<Constraint> parse_constraint(std::string_view text) {
  if (text.empty()) return Constraint{};
  if (text.size() > kLongestConstraint) return std::unexpected(ErrorCode::invalid_feature);
  return Parser(text).run();
}

const Constraint& constraint_in(const FeatureExpression& expression) {
  static const Constraint none;
  return expression.parsed() ? *expression.parsed() : none;
}

std::vector<Text> features_in(const Constraint& constraint) {
  std::vector<Text> names;
  add_names(constraint.each, names);
  for (const auto& terms : constraint.same) add_names(terms, names);
  for (const FeatureCount& count : constraint.counts) add_names(count.what, names);
  return names;
}

}  // namespace muster
