// How to build a view, and what it keeps from one figure to the next.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/stop.h"
#include "core/trace/trace.h"
#include "figure/style/font_metrics.h"

namespace attnscope {

class ViewCache;

/// How to build a view.
struct ViewOptions {
  double width = 672;     ///< available, logical pixels
  double height = 0;      ///< 0: follows from the content
  bool for_file = false;  ///< without words that are there to be clicked
  FigureFont font = FigureFont::inter;
  ParameterValues values;  ///< the view's options; a missing one has its default

  const Trace* pinned = nullptr;  ///< the baseline; null: none

  /// Names of tensors that alone matter: Flow shows the products that have them, and no others. Empty: all do.
  std::vector<std::string> tensors = {};

  /// Told the share that is done of what takes long, from 0 to 1; may be empty.
  std::function<void(double)> progress = {};
  StopToken stop;              ///< checked in long loops, which then return an unfinished figure that nobody sees
  ViewCache* cache = nullptr;  ///< results of earlier figures; may be null

  /// Asked by what takes long and can go on in the next call with the same cache. It then sets `paused`, which is not
  /// null where a pause is possible, and the figure is unfinished.
  StopToken pause;
  bool* paused = nullptr;

  /// Whether the figure should keep to the height, and rather leave something out than have small letters.
  [[nodiscard]] bool in_window() const { return !for_file && height > 0; }

  /// The value of an option that the view has.
  [[nodiscard]] Index integer(std::string_view name) const { return std::get<Index>(values.find(name)->second); }
  [[nodiscard]] double real(std::string_view name) const { return std::get<double>(values.find(name)->second); }
  [[nodiscard]] const std::string& choice(std::string_view name) const {
    return std::get<std::string>(values.find(name)->second);
  }
};

/// Results that figures keep for the next one. For one thread at a time.
class ViewCache {
 public:
  /// The last result of `make` if it was made for an equal `key`, otherwise a new one. For results that depend on the
  /// trace: the cache holds one of them.
  template <typename Value, typename Key, typename Make>
  std::shared_ptr<const Value> find_or_make(const Key& key, const Make& make) {
    if (const auto* entry = std::any_cast<Entry<Value, Key>>(&entry_); entry != nullptr && entry->key == key)
      return entry->value;
    std::shared_ptr<const Value> value = make();
    if (value) entry_ = Entry<Value, Key>{key, value};
    return value;
  }

  /// The same for small results that do not depend on a trace: the cache keeps them.
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

  /// Forgets the result that depends on a trace.
  void forget_last() { entry_.reset(); }

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
