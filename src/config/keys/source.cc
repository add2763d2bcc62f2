// Splits configuration files into settings, following includes.
#include "config/keys/source.h"

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::config {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_key_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A comment starts at an unescaped '#', even within quotes.
std::string without_comment(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '#') {
      out += '#';
      ++i;
    } else if (line[i] == '#') {
      break;
    } else {
      out += line[i];
    }
  }
  return out;
}

class SettingScanner {
 public:
  SettingScanner(std::string_view text, const Location& at) : rest_(text), at_(at) {}

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  Result<Setting> next() {
    Setting setting;
    std::size_t end = 0;
    while (end < rest_.size() && is_key_char(rest_[end])) ++end;
    setting.key = rest_.substr(0, end);
    rest_.remove_prefix(end);
    skip_blanks();
    if (setting.key.empty() || !rest_.starts_with('='))
      return invalid(at_, fmt::format("'{}{}': expected Key=value", setting.key, rest_));
    rest_.remove_prefix(1);
    skip_blanks();
    return rest_.starts_with('"') ? quoted(std::move(setting)) : bare(std::move(setting));
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_[0])) rest_.remove_prefix(1);
  }

  Result<Setting> quoted(Setting setting) {
    auto end = rest_.find('"', 1);
    if (end == rest_.npos)
      return invalid(at_, fmt::format("{}: the quote is not closed", setting.key));
    setting.value = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return setting;
  }

  Result<Setting> bare(Setting setting) {
    std::size_t end = 0;
    while (end < rest_.size() && !is_blank(rest_[end])) ++end;
    if (end == 0) return invalid(at_, fmt::format("{}=: expected a value", setting.key));
    setting.value = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return setting;
  }

  std::string_view rest_;
  const Location& at_;
};

Result<std::vector<Setting>> settings_of(std::string_view content, const Location& at) {
  std::vector<Setting> settings;
  SettingScanner scanner(content, at);
  while (!scanner.at_end()) {
    auto setting = scanner.next();
    if (!setting) return std::unexpected(setting.error());
    settings.push_back(std::move(*setting));
  }
  return settings;
}

std::string resolve(std::string_view included, const std::string& including) {
  auto slash = including.rfind('/');
  if (included.starts_with('/') || slash == including.npos) return std::string(included);
  return including.substr(0, slash + 1) + std::string(included);
}

class Reader {
 public:
  explicit Reader(const FileReader& read) : read_(read) {}

  Result<void> file(const std::string& path, int depth) {
    auto text = read_(path);
    if (!text) return std::unexpected(text.error());
    Location at{path, 0};
    int number = 0;
    std::string joined;
    for (std::string_view physical : split(*text, '\n')) {
      ++number;
      if (joined.empty()) at.line = number;
      if (physical.ends_with('\r')) physical.remove_suffix(1);
      if (physical.ends_with('\\')) {
        joined.append(physical.substr(0, physical.size() - 1)).push_back(' ');
        continue;
      }
      joined += physical;
      if (auto done = line(joined, at, depth); !done) return done;
      joined.clear();
    }
    return joined.empty() ? Result<void>{} : line(joined, at, depth);
  }

  std::vector<Line> take() { return std::move(lines_); }

 private:
  Result<void> line(std::string_view raw, const Location& at, int depth) {
    std::string text = without_comment(raw);
    std::string_view content = trim(text);
    if (content.empty()) return {};
    if (istarts_with(content, "include") && content.size() > 7 && is_blank(content[7]))
      return include(trim(content.substr(7)), at, depth);
    auto settings = settings_of(content, at);
    if (!settings) return std::unexpected(settings.error());
    for (const Setting& setting : *settings)
      if (iequals(setting.key, "ClusterName")) cluster_name_ = setting.value;
    lines_.push_back({at, std::move(*settings)});
    return {};
  }

  Result<void> include(std::string_view name, const Location& at, int depth) {
    if (depth >= kMaxIncludeDepth)
      return invalid(at,
                     fmt::format("Include {}: more than {} files deep", name, kMaxIncludeDepth));
    if (name.find("%c") != name.npos && cluster_name_.empty())
      return invalid(at, "Include with %c: ClusterName must come first");
    std::string path = resolve(replace_all(name, "%c", cluster_name_), at.file);
    auto done = file(path, depth + 1);
    // An error about a missing file is reported where it is included; errors inside the file name
    // their own place.
    if (!done && done.error().code != ErrorCode::config_invalid)
      return invalid(at, fmt::format("Include {}: {}", name, done.error().text()));
    return done;
  }

  const FileReader& read_;
  std::vector<Line> lines_;
  std::string cluster_name_;
};

}  // namespace

std::string Location::text() const { return line == 0 ? file : fmt::format("{}:{}", file, line); }

std::unexpected<Error> invalid(const Location& at, std::string_view what) {
  return fail(ErrorCode::config_invalid, fmt::format("{}: {}", at.text(), what));
}

std::unexpected<Error> bad_value(const Location& at, const Setting& setting,
                                 std::string_view expected) {
  return invalid(at, fmt::format("{}={}: expected {}", setting.key, setting.value, expected));
}

std::unexpected<Error> wrong_value(const Location& at, const Setting& setting,
                                   std::string_view why) {
  return invalid(at, fmt::format("{}={}: {}", setting.key, setting.value, why));
}

Result<std::vector<Setting>> read_settings(std::string_view line, const Location& at) {
  const std::string text = without_comment(line);
  return settings_of(trim(text), at);
}

Result<std::vector<Line>> read_lines(const FileReader& read, const std::string& path) {
  Reader reader(read);
  if (auto done = reader.file(path, 0); !done) return std::unexpected(done.error());
  return reader.take();
}

}  // namespace muster::config
