// Where numbers come from that no other numbers were made into.
#include "core/explain/explain_cell.h"

namespace attnscope {
namespace {

/// "2 · (1 red + 2 green) / 3 − 1", with the colours of the cell's pixel.
void explain_picture(const ExplainedCell& cell, const DrawOperation& draw, Explanation& e) {
  const PlacedPicture& picture = *draw.picture;
  const Index channel = cell.index[1];
  const Index row = cell.index[2];
  const Index column = cell.index[3];
  const AreaShare share(kColors, picture.channels, channel);
  std::vector<std::string> parts;
  for (Index which = share.first; which <= share.last; ++which) {
    const std::string color = color_name(which);
    const double value =
        static_cast<double>(picture.color(row, column, which)) / static_cast<double>(picture.full_color());
    parts.push_back((share.first == share.last ? "" : std::to_string(share.parts(which)) + " ") + color);
    e.results.push_back(
        {color + " of the pixel in row " + std::to_string(row) + ", column " + std::to_string(column) + ", from 0 to 1",
         value});
  }
  e.formula =
      "2 · " + (parts.size() == 1 ? parts[0] : "(" + join(parts, " + ") + ") / " + std::to_string(kColors)) + " − 1";
  const std::string which = picture.file == nullptr
                                ? "the built-in picture " + picture.name
                                : "the picture of " + std::to_string(picture.file->rows) + " × " +
                                      std::to_string(picture.file->columns) + " pixels, averaged to " +
                                      std::to_string(picture.height) + " × " + std::to_string(picture.width);
  const bool by_hand = draw.is_by_hand(offset_in(cell.step.axes, cell.index));
  e.note =
      by_hand ? "put by hand in the place of the picture's number" : "from " + which + ": the same whatever the seed";
  e.computed = by_hand ? e.value : picture.value(channel, row, column);
}

}  // namespace

void explain_operation(const ExplainedCell& cell, const DrawOperation& draw, Explanation& e) {
  if (draw.picture) return explain_picture(cell, draw, e);
  const auto nth = draw.numbers_before + static_cast<std::uint64_t>(offset_in(cell.step.axes, cell.index)) + 1;
  const std::string seed = std::to_string(cell.trace.experiment().seed);
  e.formula = formula(cell.trace.plan()->steps, e.step);
  const bool by_hand = draw.is_by_hand(offset_in(cell.step.axes, cell.index));
  e.note = (by_hand ? "put by hand in the place of number " : "drawn: number ") +
           grouped_text(static_cast<Index>(nth)) + " of seed " + seed;
  e.computed = e.value;
}

void explain_operation(const ExplainedCell& cell, const ConstantOperation& constant, Explanation& e) {
  e.formula = formula(cell.trace.plan()->steps, e.step);
  e.note = "set, not drawn: the same whatever the seed";
  e.computed = constant.value;
}

void explain_operation(const ExplainedCell& cell, const SetOperation& set, Explanation& e) {
  const std::size_t rank = cell.index.size();
  const Axes leading(cell.step.axes.begin(), cell.step.axes.end() - 2);
  const SetPart* part =
      set.part_at(offset_in(leading, cell.index.first(rank - 2)), cell.index[rank - 2], cell.index[rank - 1]);
  e.formula = formula(cell.trace.plan()->steps, e.step);
  e.note = part != nullptr ? part->why : "Nothing is set here, so it is 0.";
  e.computed = part != nullptr ? part->value : 0;
}

void explain_operation(const ExplainedCell& cell, const ImportOperation& given, Explanation& e) {
  std::vector<Index> at = given.at;
  for (std::size_t i = 0; i < given.axes.size(); ++i) at[static_cast<std::size_t>(given.axes[i])] = cell.index[i];
  e.formula = formula(cell.trace.plan()->steps, e.step);
  e.note = "given: " + given.from->tensors()[given.which].name + index_text(at) + " of " + given.from->file();
  e.computed = e.value;
}

}  // namespace attnscope
