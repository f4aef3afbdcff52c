// The picture `x` in scripts: random, made by a formula, or given by the user. A script has to give the same bits as
// experiment/picture.cpp: kShapes and kStripes repeat the formulas there, kOverlaps the area averaging, all in integers
// up to one division. A change on one side needs the same on the other.
#include <algorithm>

#include "core/script/script_parts.h"

namespace attnscope {
namespace {

/// Pixels per line of a literal, six digits each: lines stay below 100 columns.
constexpr Index kPixelsPerLine = 15;

constexpr const char* kShapes = R"(
# Two red discs and a blue square: [row, column, colour]; red, green, blue from 0 to 255.
side = min(height, width)
down = 16 * (2 * torch.arange(height)[:, None] + 1 - height)
right = 16 * (2 * torch.arange(width) + 1 - width)
large = (down + 6 * side) ** 2 + (right + 6 * side) ** 2 <= (8 * side) ** 2
small = (down - 8 * side) ** 2 + (right + 8 * side) ** 2 <= (4 * side) ** 2
square = ((down - 8 * side).abs() <= 6 * side) & ((right - 8 * side).abs() <= 6 * side)
rgb = torch.tensor([235, 230, 215]).repeat(height, width, 1)
rgb[large | small] = torch.tensor([230, 90, 40])
rgb[square] = torch.tensor([20, 60, 160])
)";

constexpr const char* kStripes = R"(
# Diagonal stripes of three colours: [row, column, colour]; red, green, blue from 0 to 255.
diagonal = torch.arange(height)[:, None] + torch.arange(width)
stripe = diagonal // max(1, min(height, width) // 8)
rgb = torch.tensor([[230, 90, 40], [250, 210, 60], [20, 60, 160]])[stripe % 3]
)";

constexpr const char* kOverlaps = R"(
def overlaps(old, new):
    """[new, old]: overlap of each new cell with each old cell along one axis."""
    old_edges, new_edges = torch.arange(old) * new, torch.arange(new)[:, None] * old
    ends = torch.minimum(old_edges + new, new_edges + old)
    return (ends - torch.maximum(old_edges, new_edges)).clamp(min=0).double()
)";

/// Defines `rgb`, the user's picture, [row, column, colour].
std::string literal_picture(const ColorPicture& picture) {
  const std::string rows = std::to_string(picture.rows);
  const std::string columns = std::to_string(picture.columns);
  std::string text =
      "# The picture row by row: red, green, blue from 0 to 255, two hexadecimal digits each.\nrgb = \"\"\"\n";
  const std::string digits = hex_text(picture.rgb);
  const auto row_digits = static_cast<std::size_t>(picture.columns * kColors * 2);
  constexpr auto kLineDigits = static_cast<std::size_t>(kPixelsPerLine * kColors * 2);
  for (std::size_t row = 0; row < digits.size(); row += row_digits) {
    for (std::size_t at = 0; at < row_digits; at += kLineDigits)
      text += digits.substr(row + at, std::min(kLineDigits, row_digits - at)) + "\n";
  }
  return text + "\"\"\"\nrgb = torch.tensor([*bytes.fromhex(rgb)]).view(" + rows + ", " + columns + ", 3)\n";
}

}  // namespace

void write_picture(Script& s) {
  const Experiment& e = s.experiment();
  const std::string& picture = e.choice("picture");
  if (picture == "noise") {
    s.code("x = torch.randn(batch, channels, height, width)");
    s.begin_weights();
    return;
  }
  s.code("torch.randn(batch, channels, height, width)  # unused: keeps the same weights as with noise");
  s.begin_weights();
  if (picture == "shapes") s.section(kShapes);
  if (picture == "stripes") s.section(kStripes);
  if (picture == "file") s.section(literal_picture(*e.picture));
  s.empty_line();
  s.section(kOverlaps);
  s.empty_line();
  if (picture == "file") {
    s.section(R"(
# Area-average to height × width, and the three colours to the channels.
rows, columns = overlaps(len(rgb), height), overlaps(rgb.shape[1], width)
image = torch.einsum("hr,wc,kl,rcl->khw", rows, columns, overlaps(3, channels), rgb.double())
)");
  } else {
    s.section(R"(
# Average the three colours to the channels.
image = torch.einsum("kl,hwl->khw", overlaps(3, channels), rgb.double())
)");
  }
  // Overlaps sum to the number of old cells along each averaged axis: rows, columns and colours, or colours alone.
  const std::string old_cells = picture == "file" ? "rgb.numel()" : "3";
  s.code("x = (2 * image / (255 * " + old_cells + ") - 1).float().repeat(batch, 1, 1, 1)");
  s.empty_line();
}

}  // namespace attnscope
