// From a head among others to its own view.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/trace/trace.h"
#include "figure/model/figure.h"

namespace attnscope {

/// Says what opens a head in the view `head`: its layer among `layer_attentions`, or the cross-attention beside a single
/// layer.
class HeadLinks {
 public:
  explicit HeadLinks(const Trace& trace);

  /// Opens head `head`, from 0, of the weights in `tensor`; nothing where the view shows no such attention.
  [[nodiscard]] std::optional<OpenView> to(std::string_view tensor, Index head) const;
  /// Makes a place of the figure open that head. It has the id "open.", followed by `id`. `state`: see `head_state`.
  void add(Figure& figure, const std::string& id, const Rect& box, std::string_view tensor, Index head,
           const std::string& state = {}) const;

 private:
  struct Place {
    Index layer = 1;
    bool cross = false;
    std::string title;  ///< "layer 2"
  };
  std::map<std::string, Place, std::less<>> places_;  ///< by the names of the weights
  bool has_cross_ = false;
};

}  // namespace attnscope
