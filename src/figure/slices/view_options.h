// How a view is to be built, and what it remembers from one figure to the next.
#pragma once

#include <any>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/stop.h"
#include "core/trace/trace.h"

namespace attnscope {

class ViewCache;

/// How a view is to be built.
struct ViewOptions {
  double width = 672;      ///< logical pixels there are for the figure
  double height = 0;       ///< 0: as high as it comes out
  ParameterValues values;  ///< the view's own options; what is missing is at its default

  const Trace* pinned = nullptr;  ///< the experiment that is kept to compare with; may be null

  StopToken stop;              ///< asked in long work, which then leaves with an unfinished figure that nobody sees
  ViewCache* cache = nullptr;  ///< what earlier figures of the view have worked out; may be null

  /// The option of that name, which is in the view's table.
  [[nodiscard]] Index integer(std::string_view name) const { return std::get<Index>(values.find(name)->second); }
  [[nodiscard]] double real(std::string_view name) const { return std::get<double>(values.find(name)->second); }
  [[nodiscard]] const std::string& choice(std::string_view name) const {
    return std::get<std::string>(values.find(name)->second);
  }
};

/// What figures have worked out, for the next one. One thread at a time.
class ViewCache {
 public:
  /// The last result of `make` for `key`, which says what it was made from; made where that was something else. What
  /// comes from a trace: it lasts until that of another one is asked for.
  template <typename Value, typename Key, typename Make>
  std::shared_ptr<const Value> find_or_make(const Key& key, const Make& make) {
    if (const auto* entry = std::any_cast<Entry<Value, Key>>(&entry_); entry != nullptr && entry->key == key)
      return entry->value;
    std::shared_ptr<const Value> value = make();
    if (value) entry_ = Entry<Value, Key>{key, value};
    return value;
  }

  /// The same for small things that come from no trace: they stay.
  template <typename Value, typename Key, typename Make>
  std::shared_ptr<const Value> find_or_keep(const Key& key, const Make& make) {
    for (const std::any& each : kept_) {
      if (const auto* entry = std::any_cast<Entry<Value, Key>>(&each); entry != nullptr && entry->key == key)
        return entry->value;
    }
    std::shared_ptr<const Value> value = make();
    if (value && kept_.size() == kMaxKept) kept_.erase(kept_.begin());
    if (value) kept_.push_back(Entry<Value, Key>{key, value});
    return value;
  }

 private:
  static constexpr std::size_t kMaxKept = 1000;

  template <typename Value, typename Key>
  struct Entry {
    Key key;
    std::shared_ptr<const Value> value;
  };
  std::any entry_;
  std::vector<std::any> kept_;
};

}  // namespace attnscope
