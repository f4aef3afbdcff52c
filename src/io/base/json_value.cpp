#include "io/base/json_value.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <iterator>
#include <utility>
#include <vector>

#include "core/base/text.h"

namespace attnscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Walks over the text and counts how far the parser has come; the parser itself says that only in its errors.
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

// Memory of values, including the allocator's overhead.
constexpr std::uint64_t kAllocation = 16;
constexpr std::uint64_t kValueBytes = sizeof(json);
// The library moves values to a list before it destroys them. As the list doubles, the old and the new one exist for a
// moment.
constexpr std::uint64_t kDestroyedBytes = 2 * sizeof(json);
constexpr std::uint64_t kMemberBytes = 4 * sizeof(void*) + sizeof(json::object_t::value_type) + kAllocation;

/// Bytes outside the string object for this capacity; short strings are inside.
std::uint64_t taken_by_text(std::size_t room) { return room < sizeof(std::string) / 2 ? 0 : room + kAllocation; }

std::uint64_t member_bytes(const std::string& name) { return kMemberBytes + taken_by_text(name.size()); }

/// Bytes that `value` itself holds, without the values inside it.
std::uint64_t taken_by(const json& value) {
  switch (value.type()) {
    case json::value_t::object: return sizeof(json::object_t) + kAllocation;
    case json::value_t::array: return sizeof(json::array_t) + kAllocation;
    case json::value_t::string:
      return sizeof(std::string) + kAllocation + taken_by_text(value.get_ref<const std::string&>().capacity());
    default: return 0;
  }
}

/// Empties `value` from the inside out, which moves nothing.
void dismantle(json& value) {
  if (auto* const array = value.get_ptr<json::array_t*>()) {
    for (json& each : *array) dismantle(each);
    array->clear();
  } else if (auto* const object = value.get_ptr<json::object_t*>()) {
    for (auto& [key, each] : *object) dismantle(each);
    object->clear();
  }
}

/// Builds the value from the parser's events and stops at the first thing that is not allowed.
class Builder : public nlohmann::json_sax<json> {
 public:
  /// With `take`, the members of the outermost object go there.
  Builder(const JsonLimits& limits, ParseBudget& budget, const TakeJsonMember* take = nullptr)
      : limits_(limits), budget_(budget), take_(take) {}
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  ~Builder() override { dismantle(root_); }

  bool null() override { return add_plain(nullptr); }
  bool boolean(bool value) override { return add(value) != nullptr && completed(); }
  bool number_integer(number_integer_t value) override { return add_plain(value); }
  bool number_unsigned(number_unsigned_t value) override { return add_plain(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    if (!std::isfinite(value))
      return stop("the number " + attnscope::quoted_text(text) + " is beyond double precision");
    return add_plain(value);
  }
  bool string(string_t& value) override { return add_plain(std::move(value)); }
  bool binary(binary_t&) override { return stop("binary data"); }

  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return pack() && close(); }

  bool key(string_t& name) override {
    auto& object = open_.back().value->get_ref<json::object_t&>();
    if (!charge(member_bytes(name))) return false;
    const auto [place, is_new] = object.emplace(name, nullptr);
    if (!is_new) return stop("the key " + attnscope::quoted_text(name) + " appears twice");
    place_ = &place->second;
    if (open_.size() == 1) member_ = &*place;
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

  /// Ends the reading; returns false, as the parser expects.
  bool stop(std::string trouble) {
    trouble_ = std::move(trouble);
    return false;
  }

  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  [[nodiscard]] bool ended_by_taker() const { return ended_by_taker_; }
  [[nodiscard]] json take() { return std::move(root_); }

 private:
  /// An array or object whose end has not been read.
  struct Open {
    json* value;
    bool only_booleans;
  };

  bool charge(std::uint64_t bytes) {
    since_member_ += bytes;
    return budget_.charge(bytes) || stop(budget_.refusal("the JSON"));
  }

  void release(std::uint64_t bytes) {
    since_member_ -= bytes;
    budget_.release(bytes);
  }

  bool add_plain(json value) {
    if (!open_.empty()) open_.back().only_booleans = false;
    return add(std::move(value)) != nullptr && completed();
  }

  json* add(json value) {
    if (++count_ > limits_.values) {
      stop("more than " + grouped_text(static_cast<Index>(limits_.values)) + " values");
      return nullptr;
    }
    if (!charge(taken_by(value) + kDestroyedBytes)) return nullptr;
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back().value->is_array()) {
      auto& array = open_.back().value->get_ref<json::array_t&>();
      if (array.size() == array.capacity() && !grow(array)) return nullptr;
      array.push_back(std::move(value));
      return &array.back();
    }
    *place_ = std::move(value);
    return place_;
  }

  /// Makes room for more; for a moment the old and the new array exist.
  bool grow(json::array_t& array) {
    const std::size_t before = array.capacity();
    const std::size_t wanted = std::max<std::size_t>(1, 2 * before);
    if (!charge(wanted * kValueBytes + (before == 0 ? kAllocation : 0))) return false;
    array.reserve(wanted);
    release(before * kValueBytes);
    return true;
  }

  bool open(json container) {
    if (open_.size() >= limits_.depth) return stop("more than " + std::to_string(limits_.depth) + " nested brackets");
    if (!open_.empty()) open_.back().only_booleans = false;
    // An open value stays in place: its parent gets nothing new until it is closed.
    json* added = add(std::move(container));
    if (added != nullptr) open_.push_back({added, true});
    return added != nullptr;
  }

  bool close() {
    open_.pop_back();
    return completed();
  }

  /// Packs a list of booleans that ends here.
  bool pack() {
    auto& array = open_.back().value->get_ref<json::array_t&>();
    if (!open_.back().only_booleans || array.size() < kPackedList) return true;
    if (!charge(array.size() + sizeof(json::binary_t) + kAllocation)) return false;
    json::binary_t::container_type bytes;
    bytes.reserve(array.size());
    for (const json& each : array) bytes.push_back(each.get<bool>() ? 1 : 0);
    release(array.capacity() * kValueBytes + array.size() * kDestroyedBytes);
    *open_.back().value = json::binary(std::move(bytes));
    return true;
  }

  /// After every value: hands over a member once it is complete.
  bool completed() {
    if (take_ == nullptr || open_.size() != 1 || member_ == nullptr) return true;
    if (!(*take_)(member_->first, member_->second)) {
      ended_by_taker_ = true;
      return false;
    }
    // The key stays, to notice a second one.
    dismantle(member_->second);
    member_->second = nullptr;
    release(since_member_ - std::min(since_member_, member_bytes(member_->first)));
    since_member_ = 0;
    member_ = nullptr;
    return true;
  }

  JsonLimits limits_;
  ParseBudget& budget_;
  const TakeJsonMember* take_;
  json root_;
  std::vector<Open> open_;
  json* place_ = nullptr;                         // of the value that belongs to the key just read
  json::object_t::value_type* member_ = nullptr;  // of the outermost object, that is being read
  std::uint64_t since_member_ = 0;                // charged since the last one was handed over
  std::size_t count_ = 0;
  std::string trouble_;
  bool ended_by_taker_ = false;
};

/// Bytes of the longest text or number, at least.
std::size_t longest_token(std::string_view text) {
  std::size_t longest = 0;
  std::size_t begin = 0;
  const auto ends = [&](std::size_t at) {
    longest = std::max(longest, at - begin);
    begin = at + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      ends(i);
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1U : 0U;
      ends(std::min(i, text.size()));
    } else if (c <= ' ' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == ':') {
      ends(i);
    }
  }
  return std::max(longest, text.size() - std::min(begin, text.size()));
}

/// The place of the last character read: the one that was too much.
std::string place_text(std::string_view read) {
  const std::string_view before = read.substr(0, read.empty() ? 0 : read.size() - 1);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

Result<void> read_into(Builder& builder, std::string_view text, ParseBudget& budget) {
  // The library's wording differs from version to version.
  if (text.empty()) return fail(place_text(text) + ": unexpected end of input");
  // The parser holds a token twice while it grows, before it calls anybody.
  constexpr std::uint64_t times = 5;
  const std::uint64_t for_tokens = times * longest_token(text);
  if (!budget.charge(for_tokens)) return fail(budget.refusal("a string or number in the JSON"));
  const char* reached = text.data();
  const Reading begin(text.data(), &reached);
  const Reading end(text.data() + text.size(), &reached);
  try {
    const bool parsed = json::sax_parse(begin, end, &builder);
    budget.release(for_tokens);
    // The parser takes a zero byte for the end; JSON has none anywhere.
    if (parsed && text.find('\0') == std::string_view::npos) return {};
    if (parsed) builder.stop("unexpected zero byte");
  } catch (const std::exception&) {
    return fail("not enough memory for the JSON");
  }
  const auto read = static_cast<std::size_t>(reached - text.data());
  return fail(place_text(text.substr(0, read)) + ": " + builder.trouble());
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
  std::size_t width;   // longer values go over several lines
  bool break_objects;  // at the top, even those that fit
};

// A file with a large mask may be read up to a size: what could be read can be read again once it is written.
constexpr std::size_t kLongList = 100;

/// `indent` blanks precede all lines but the first.
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
  if (one_line) return text + join(parts, value.is_array() && parts.size() > kLongList ? "," : ", ") + brackets[1];
  const std::string line = "\n" + std::string(indent + 2, ' ');
  return text + line + join(parts, "," + line) + "\n" + std::string(indent, ' ') + brackets[1];
}

}  // namespace

Result<json> parse_json(std::string_view text, const JsonLimits& limits, ParseBudget* budget) {
  ParseBudget own(text.size());
  Builder builder(limits, budget == nullptr ? own : *budget);
  if (const Result<void> read = read_into(builder, text, budget == nullptr ? own : *budget); !read)
    return tl::unexpected(read.error());
  return builder.take();
}

Result<bool> parse_json_members(std::string_view text, const JsonLimits& limits, ParseBudget& budget,
                                const TakeJsonMember& take) {
  Builder builder(limits, budget, &take);
  const Result<void> read = read_into(builder, text, budget);
  if (builder.ended_by_taker()) return false;
  if (!read) return tl::unexpected(read.error());
  if (const json root = builder.take(); !root.is_object())
    return fail(json_excerpt(root) + " is not allowed; allowed: an object");
  return true;
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
  if (value.is_binary()) return "a list of booleans";
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
