// Numbers of the parts of a model, such as what they add to a logit, as a map: embeddings, layers × heads with biases and MLPs, biases behind the
// last layer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/residual/contributions.h"
#include "figure/blocks/head_link.h"
#include "figure/model/figure.h"

namespace attnscope {

/// What the numbers of a map are called.
struct PartWords {
  const char* about;     ///< "contribution to the logit"
  const char* one_does;  ///< " adds ": between a part and its number
  const char* some_do;   ///< " add ": the same of several
  const char* biases = "norm and output biases";
};

class PartMap {
 public:
  /// The first two must outlive this.
  PartMap(const Trace& trace, const Contributions& parts, const PartWords& words);

  /// The smallest width.
  [[nodiscard]] double least_width() const;
  /// The height for rows of the usual size.
  [[nodiscard]] double usual_height() const { return height_for(kUsualRow); }
  /// Decides on the sizes of cells: as large as is comfortable in `width` × `height`. Height 0: rows of the usual size.
  void fit(double width, double height);
  [[nodiscard]] double height() const { return height_for(row_); }

  /// Adds the map with its top left corner at `at`. A click on a head opens it.
  void add(Figure& figure, Point at) const;

  /// Adds the colour bar of the map below `at`, with the words for its numbers unless others are given.
  void add_legend(Figure& figure, const std::string& id, Point at, double margin, const char* words = nullptr) const;

  /// Lets the colours reach that magnitude, for what shares them.
  void reach(double magnitude);
  /// Red and blue, symmetric about 0. The largest head ends it where other parts are several times larger.
  [[nodiscard]] const ColorScale& scale() const { return scale_; }
  /// Where cells begin, right of the names of rows.
  [[nodiscard]] double labels_width() const { return labels_; }

 private:
  static constexpr double kUsualRow = 26;

  /// A column beside the heads.
  struct SideColumn {
    std::string id;
    std::string title;
    std::optional<double> LayerParts::*value;
  };

  [[nodiscard]] double height_for(double row) const;
  [[nodiscard]] double side_width() const;
  [[nodiscard]] double layers_top(Point at) const;
  void add_single(Figure& figure, const std::string& id, const std::string& name, double value, Point at) const;
  void add_heads(Figure& figure, Point at) const;
  void add_header(Figure& figure, Point at) const;
  void add_side(Figure& figure, const SideColumn& column, double left, double top) const;
  void add_head_targets(Figure& figure, const HeatmapMark& mark, std::size_t first) const;

  const Trace& trace_;
  const Contributions& parts_;
  PartWords words_;
  HeadLinks links_;
  std::vector<std::string> layers_;  ///< names
  std::vector<SideColumn> sides_;
  Index heads_ = 0;
  ColorScale scale_;
  double largest_ = 0;  ///< magnitude, which the scale may leave out
  double labels_ = 0;
  double cell_ = 0;
  double row_ = kUsualRow;
};

}  // namespace attnscope
