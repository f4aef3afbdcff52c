#include "io/json_value.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <iterator>
#include <utility>
#include <vector>

#include "core/text.h"

namespace attnscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Walks over the text and tells how far the parser has come, which the parser itself tells only with its own errors.
class Reading {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names that iterators have
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  Reading() = default;
  Reading(const char* at, const char** reached) : at_(at), reached_(reached) {}

  reference operator*() const { return *at_; }
  Reading& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  Reading operator++(int) {
    Reading before = *this;
    ++*this;
    return before;
  }
  [[maybe_unused]] friend bool operator==(const Reading& a, const Reading& b) { return a.at_ == b.at_; }
  friend bool operator!=(const Reading& a, const Reading& b) { return a.at_ != b.at_; }

 private:
  const char* at_ = nullptr;
  const char** reached_ = nullptr;
};

/// Builds the value from the parser's events and stops at the first thing that is not allowed.
class Builder : public nlohmann::json_sax<json> {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  bool null() override { return add(nullptr) != nullptr; }
  bool boolean(bool value) override { return add(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return add(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return add(value) != nullptr; }
  bool number_float(number_float_t value, const string_t& text) override {
    if (!std::isfinite(value)) return stop("the number " + text + " is beyond double precision");
    return add(value) != nullptr;
  }
  bool string(string_t& value) override { return add(std::move(value)) != nullptr; }
  bool binary(binary_t&) override { return stop("binary data"); }

  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    auto& object = open_.back()->get_ref<json::object_t&>();
    const auto [place, is_new] = object.emplace(name, nullptr);
    if (!is_new) return stop("the key " + attnscope::quoted_text(name) + " appears twice");
    place_ = &place->second;
    return true;
  }

  bool parse_error(std::size_t, const std::string& token, const json::exception& error) override {
    const std::string_view what = error.what();
    if (error.id == 406) return stop("the number " + attnscope::quoted_text(token) + " is beyond double precision");
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing value - invalid
    // literal; last read: 'x'": the reason stands behind the dash.
    const std::size_t dash = what.find(" - ");
    if (dash == std::string_view::npos) return stop("a syntax error");
    const std::string_view reason = what.substr(dash + 3);
    return stop(std::string(reason.substr(0, reason.find("; "))));
  }

  /// Ends the reading; false, as the parser expects it.
  bool stop(std::string trouble) {
    trouble_ = std::move(trouble);
    return false;
  }

  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  [[nodiscard]] json take() { return std::move(root_); }

 private:
  json* add(json value) {
    if (++count_ > limits_.values) {
      stop("more than " + grouped_text(static_cast<Index>(limits_.values)) + " values");
      return nullptr;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      auto& array = open_.back()->get_ref<json::array_t&>();
      array.push_back(std::move(value));
      return &array.back();
    }
    *place_ = std::move(value);
    return place_;
  }

  bool open(json container) {
    if (open_.size() >= limits_.depth)
      return stop("more than " + std::to_string(limits_.depth) + " brackets within each other");
    // Stays where it is while it is open: its parent gets nothing new until it is closed.
    json* added = add(std::move(container));
    if (added != nullptr) open_.push_back(added);
    return added != nullptr;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  JsonLimits limits_;
  json root_;
  std::vector<json*> open_;
  json* place_ = nullptr;  // of the value that belongs to the key just read
  std::size_t count_ = 0;
  std::string trouble_;
};

/// The place of the last character read: the one that was too much.
std::string place_text(std::string_view read) {
  const std::string_view before = read.substr(0, read.empty() ? 0 : read.size() - 1);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

bool is_plain_list(const ordered_json& value) {
  return value.is_array() &&
         std::none_of(value.begin(), value.end(), [](const ordered_json& each) { return each.is_structured(); });
}

std::string scalar_text(const ordered_json& value) {
  if (value.is_number_float()) {
    std::string text = exact_text(value.get<double>());
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

struct Layout {
  std::size_t width;   // what is longer goes over several lines
  bool break_objects;  // at the top, even those that fit
};

/// `indent` blanks stand before all lines but the first.
std::string laid_out(const ordered_json& value, std::size_t indent, const Layout& layout) {
  if (!value.is_structured()) return scalar_text(value);
  const Layout inner = {layout.width, false};
  std::vector<std::string> parts;
  std::size_t length = 2;
  bool one_line = !layout.break_objects || value.empty();
  for (auto each = value.begin(); each != value.end(); ++each) {
    std::string part = value.is_object() ? scalar_text(each.key()) + ": " : std::string();
    part += laid_out(*each, indent + 2, inner);
    length += part.size() + 2;
    one_line = one_line && part.find('\n') == std::string::npos;
    parts.push_back(std::move(part));
  }
  const char* brackets = value.is_object() ? "{}" : "[]";
  one_line = one_line && (is_plain_list(value) || indent + length <= layout.width);
  std::string text(1, brackets[0]);
  if (one_line) return text + join(parts, ", ") + brackets[1];
  const std::string line = "\n" + std::string(indent + 2, ' ');
  return text + line + join(parts, "," + line) + "\n" + std::string(indent, ' ') + brackets[1];
}

}  // namespace

Result<json> parse_json(std::string_view text, const JsonLimits& limits) {
  Builder builder(limits);
  const char* reached = text.data();
  const Reading begin(text.data(), &reached);
  const Reading end(text.data() + text.size(), &reached);
  try {
    const bool parsed = json::sax_parse(begin, end, &builder);
    // The parser takes a zero byte for the end; JSON has none anywhere.
    if (parsed && text.find('\0') == std::string_view::npos) return builder.take();
    if (parsed) builder.stop("unexpected zero byte");
  } catch (const std::exception&) {
    return fail("the JSON takes more memory than there is");
  }
  const auto read = static_cast<std::size_t>(reached - text.data());
  return fail(place_text(text.substr(0, read)) + ": " + builder.trouble());
}

std::string pretty_json(const ordered_json& value) { return laid_out(value, 0, {100, true}); }

std::string compact_json(const ordered_json& value) {
  return laid_out(value, 0, {static_cast<std::size_t>(-1) / 2, false});
}

ordered_json json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

std::string json_excerpt(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return value.empty() ? "an empty list" : "a list";
  if (value.is_string()) return attnscope::quoted_text(value.get_ref<const std::string&>());
  return value.dump();
}

Result<void> check_keys(const json& object, std::span<const std::string> allowed, std::string_view where) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
    const std::string nearest = suggestion_text(key, allowed);
    return fail(std::string(where) + "the key " + attnscope::quoted_text(key) + " is unknown" +
                (nearest.empty() ? "; allowed: " + join(allowed, ", ") : nearest));
  }
  return {};
}

}  // namespace attnscope
