// Splits command lines into options and arguments, as getopt_long does.
#include "cli/options/options_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::cli {

namespace {

using Failure = std::unexpected<std::string>;

class Splitter {
 public:
  Splitter(std::span<const WordOption> known, std::span<const std::string> words, Operands operands)
      : known_(known), words_(words), operands_(operands) {}

  std::expected<SplitWords, std::string> run() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_];
      if (word == "--") {
        out_.ended_by_dashes = true;
        ++next_;
        break;
      }
      if (word.size() < 2 || word[0] != '-') {
        if (operands_ == Operands::end_options) break;
        out_.rest.push_back(word);
        ++next_;
        continue;
      }
      ++next_;
      auto done = word[1] == '-' ? long_option(std::string_view(word).substr(2))
                                 : letters(std::string_view(word).substr(1));
      if (!done) return Failure(done.error());
    }
    out_.rest.insert(out_.rest.end(), words_.begin() + static_cast<std::ptrdiff_t>(next_),
                     words_.end());
    return std::move(out_);
  }

 private:
  std::expected<void, std::string> long_option(std::string_view text) {
    auto equals = text.find('=');
    std::string_view name = text.substr(0, equals);
    auto index = find(name, text);
    if (!index) return Failure(index.error());
    const WordOption& option = known_[*index];
    std::string value;
    if (equals != text.npos) {
      if (option.argument == Argument::none)
        return Failure(fmt::format("option '--{}' doesn't allow an argument", option.name));
      value = text.substr(equals + 1);
      if (value.empty() && option.argument == Argument::optional_word) value = kEmptyList;
    } else if (option.argument == Argument::required) {
      if (next_ == words_.size())
        return Failure(fmt::format("option '--{}' requires an argument", option.name));
      value = words_[next_++];
    } else if (option.argument == Argument::optional_word && next_is_value()) {
      value = take_list();
    }
    out_.options.push_back({*index, std::move(value)});
    return {};
  }

  bool next_is_value() const { return next_ < words_.size() && !words_[next_].starts_with('-'); }

  std::string_view take_list() {
    const std::string& word = words_[next_++];
    return word.empty() ? kEmptyList : std::string_view(word);
  }

  // Another spelling of the option before it: the plural, or a second letter.
  bool says_the_same(std::string_view name, std::size_t before) const {
    return name == known_[before].name || name == fmt::format("{}s", known_[before].name);
  }

  // An exact name, or the only name of Slurm's that begins so, or else the only one of ours.
  std::expected<std::size_t, std::string> find(std::string_view name,
                                               std::string_view written) const {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (known_[i].name == name) return i;
      bool repeats = !candidates.empty() && says_the_same(known_[i].name, candidates.back());
      if (!name.empty() && known_[i].name.starts_with(name) && !repeats) candidates.push_back(i);
    }
    auto is_own = [&](std::size_t i) { return known_[i].is_own; };
    if (!std::ranges::all_of(candidates, is_own)) std::erase_if(candidates, is_own);
    if (candidates.size() == 1) return candidates[0];
    if (candidates.empty()) return Failure(fmt::format("unrecognized option '--{}'", written));
    std::string possibilities;
    for (std::size_t i : candidates) possibilities += fmt::format(" '--{}'", known_[i].name);
    return Failure(
        fmt::format("option '--{}' is ambiguous; possibilities:{}", written, possibilities));
  }

  std::expected<void, std::string> letters(std::string_view text) {
    while (!text.empty()) {
      char letter = text[0];
      text.remove_prefix(1);
      std::optional<std::size_t> index;
      for (std::size_t i = 0; i < known_.size() && !index; ++i)
        if (known_[i].letter == letter && letter != 0) index = i;
      if (!index) return Failure(fmt::format("invalid option -- '{}'", letter));
      Argument argument = known_[*index].argument;
      if (argument == Argument::none) {
        out_.options.push_back({*index, {}});
        continue;
      }
      if (text.empty() && argument == Argument::required) {
        if (next_ == words_.size())
          return Failure(fmt::format("option requires an argument -- '{}'", letter));
        text = words_[next_++];
      }
      if (text.empty() && argument == Argument::optional_word && next_is_value())
        text = take_list();
      out_.options.push_back({*index, std::string(text)});
      return {};
    }
    return {};
  }

  std::span<const WordOption> known_;
  std::span<const std::string> words_;
  Operands operands_;
  std::size_t next_ = 0;
  SplitWords out_;
};

}  // namespace

std::expected<SplitWords, std::string> split_options(std::span<const WordOption> known,
                                                     std::span<const std::string> words,
                                                     Operands operands) {
  return Splitter(known, words, operands).run();
}

}  // namespace muster::cli
