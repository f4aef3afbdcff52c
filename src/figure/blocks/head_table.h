// All heads of all layers: a map of one measure by layer and head, and a table of all measures.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/heads/measure.h"
#include "core/trace/trace.h"
#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// A measure of a head, and that of uniform attention. Nothing where it does not apply.
struct HeadTableCell {
  std::optional<double> value;
  std::optional<double> uniform;
};

struct HeadTableRow {
  std::string tensor;                     ///< the weights: "layer1.weights"
  std::string layer;                      ///< "layer 2", "decoder layer 1"
  Index line = 0;                         ///< of the map, from 0: the layers one after the other
  Index head = 0;                         ///< from 0
  std::string name = {};                  ///< what the head does; empty: nothing clear
  std::vector<HeadTableCell> cells = {};  ///< [measure]
};

struct HeadTable {
  std::string id;  ///< begins the ids of the rows: "found" for "found.2.0", layer from 1 and head from 0
  std::string title;
  std::string note = {};  ///< below the title
  std::span<const Measure> measures = {};
  std::string about_measures = {};  ///< ends the explanation of each measure; begins with a line break, or is empty
  std::string naming_rule = {};     ///< explains the column of names; empty: there is none
  std::string none = {};            ///< where no head is listed
  std::size_t mapped = 0;           ///< the measure of the map where the table is not sorted by one
  bool is_share = false;            ///< all measures are from 0 to 1, and drawn so
  bool only_named = false;          ///< lists no others; the map has all
  double min_column = 44;           ///< at least as wide are the columns of measures
  double max_column = 110;
  std::vector<HeadTableRow> rows = {};  ///< not empty; layer by layer
  /// What is known of a measure of a head, by their places.
  std::function<std::string(const HeadTableRow&, std::size_t measure)> about = {};
};

/// The number of pages for so many heads.
Index head_table_pages(Index heads);

/// The table for a view with the options "sort", "order" and "page". The map shows the measure that it is sorted by. A
/// click on a head opens it.
Figure head_table_figure(const Trace& trace, const HeadTable& table, const ViewOptions& options);

}  // namespace attnscope
