// Attention between the pixels of a picture: one pixel asks, and every head shows where it looks.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/operations/draw.h"
#include "figure/layout/grid.h"
#include "figure/layout/legend.h"
#include "figure/layout/page.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/views/view.h"

namespace attnscope {
namespace {

constexpr double kMargin = 16;
constexpr double kTitleHeight = 28;
constexpr double kPanelTitle = 20;
constexpr double kGap = 28;
constexpr double kLegendHeight = 44;
constexpr double kMaxPicture = 320;
constexpr Index kMaxHeads = 256;  // on one page: each has a frame around the query pixel

struct PictureSize {
  Index rows = 0;
  Index columns = 0;
};

std::optional<PictureSize> picture_size(const Trace& trace) {
  const Step* x = trace.find("x");
  if (x == nullptr || x->axes.size() != 4 || x->axes[2].name != "row") return std::nullopt;
  return PictureSize{x->axes[2].size, x->axes[3].size};
}

Index selected_number(const ViewOptions& options, std::string_view name, Index most) {
  return std::min(options.integer(name), most);
}

/// The mean of the channels, or one of them.
HeatmapMark picture_mark(const Trace& trace, Index item, Index channel) {
  const Step& x = *trace.find("x");
  HeatmapMark mark;
  mark.id = "picture";
  mark.picks = "query";
  if (channel > 0) {
    mark.axes = x.axes;
    mark.leading = {item, channel - 1};
    mark.step = static_cast<int>(&x - trace.steps().data());
    mark.about = "x, channel " + std::to_string(channel);
    mark.source = slice_of(x.tensor, mark);
  } else {
    const Axis& channels = x.axes[1];
    auto mean = std::make_shared<Tensor>(Axes{x.axes[2], x.axes[3]});
    for (Index c = 0; c < channels.size; ++c) {
      const std::vector<Index> leading = {item, c};
      const MatrixView one = x.tensor->matrix(leading);
      for (Index i = 0; i < mean->count(); ++i) {
        mean->values()[static_cast<std::size_t>(i)] +=
            one.at(i / one.columns, i % one.columns) / static_cast<float>(channels.size);
      }
    }
    mark.axes = mean->axes();
    mark.step = -1;
    mark.about = "x, the mean of " + std::to_string(channels.size) + " channels";
    mark.source = slice_of(std::move(mean), mark);
  }
  // The picture is black at its darkest pixel and white at its lightest.
  const MatrixView pixels = *mark.source->held();
  float low = INFINITY;
  float high = -INFINITY;
  for (Index r = 0; r < pixels.rows; ++r) {
    for (Index c = 0; c < pixels.columns; ++c) {
      if (!std::isfinite(pixels.at(r, c))) continue;
      low = std::min(low, pixels.at(r, c));
      high = std::max(high, pixels.at(r, c));
    }
  }
  const bool any = low <= high;
  mark.scale = {ColorMap::greys, any ? static_cast<double>(high) : 1, any ? static_cast<double>(low) : 0};
  return mark;
}

/// Pixels are painted one by one in every frame of the window.
constexpr Index kMaxColoredPixels = 4096;

/// The picture of the user or the built-in one that `x` was made from, or null.
const PlacedPicture* placed_picture(const Trace& trace) {
  const auto* draw = as<DrawOperation>(trace.find("x")->operation);
  return draw != nullptr && draw->picture ? &*draw->picture : nullptr;
}

/// The picture in its colours; nothing with fewer than three channels, where attention sees no colours either.
std::optional<PixelsMark> colored_pixels(const Trace& trace) {
  const PlacedPicture* picture = placed_picture(trace);
  if (picture == nullptr || picture->channels < kColors || picture->height * picture->width > kMaxColoredPixels)
    return std::nullopt;
  PixelsMark mark = {"picture.colors", {}, picture->width, {}};
  const Index full = picture->full_color();
  for (Index row = 0; row < picture->height; ++row) {
    for (Index column = 0; column < picture->width; ++column) {
      const auto byte = [&](Index which) {
        return static_cast<std::uint8_t>((2 * kFullColor * picture->color(row, column, which) + full) / (2 * full));
      };
      mark.colors.push_back({byte(0), byte(1), byte(2)});
    }
  }
  return mark;
}

class ImageLayout {
 public:
  ImageLayout(const Trace& trace, const ViewOptions& options)
      : trace_(trace),
        options_(options),
        size_(*picture_size(trace)),
        item_(selected_slice(trace, options.values).item),
        channel_(selected_number(options, "channel", trace.find("x")->axes[1].size)),
        page_(page_of(head_count(trace), kMaxHeads, options.integer("page"))) {
    const Index pixels = size_.rows * size_.columns;
    const Index asked = selected_number(options, "query", pixels);
    query_ = asked > 0 ? asked - 1 : size_.rows / 2 * size_.columns + size_.columns / 2;
  }

  Figure build() {
    HeatmapMark picture = picture_mark(trace_, item_, channel_);
    std::vector<HeatmapMark> heads = head_marks();
    if (options_.stop.stop_requested()) return {};
    const double width = options_.width - 2 * kMargin;
    const double height = options_.height > 0 ? options_.height - 2 * kMargin - kTitleHeight - kLegendHeight : 0;
    const double side = std::min({kMaxPicture, width * 0.34, height > 0 ? height - kPanelTitle : kMaxPicture});
    const auto most = static_cast<double>(std::max(size_.rows, size_.columns));
    const double cell = side / most;
    const double rest = width - cell * static_cast<double>(size_.columns) - kGap;
    PanelShape shape = {size_.rows, size_.columns, 0, kPanelTitle, 20, text_width("head 10", TypeSize::kBody), cell};
    const Grid grid = fit_grid(static_cast<Index>(heads.size()), shape, rest, height);
    const double picture_height = kPanelTitle + cell * static_cast<double>(size_.rows);
    const double content = std::max(picture_height, grid.height());
    const double used = cell * static_cast<double>(size_.columns) + kGap + grid.width();
    figure_.width = std::max(options_.width, used + 2 * kMargin);
    const double total = kTitleHeight + content + kLegendHeight + 2 * kMargin;
    figure_.height = std::max(options_.height, total);
    const double left = (figure_.width - used) / 2;
    const double top = kMargin + (figure_.height - total) / 2;
    title({left, top});
    picture.box = {left, top + kTitleHeight + kPanelTitle, cell * static_cast<double>(size_.columns),
                   cell * static_cast<double>(size_.rows)};
    std::optional<PixelsMark> colors = channel_ > 0 ? std::nullopt : colored_pixels(trace_);
    caption("picture.title", picture.box, picture_caption(colors.has_value()));
    ring("picture.query", picture.box);
    const ColorScale grey = picture.scale;
    if (colors) {
      colors->box = picture.box;
      figure_.pixels.push_back(*colors);
    }
    figure_.heatmaps.push_back(std::move(picture));
    const double heads_left = left + cell * static_cast<double>(size_.columns) + kGap;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const Point corner = grid.corner(static_cast<Index>(i));
      heads[i].box = {heads_left + corner.x, top + kTitleHeight + kPanelTitle + corner.y,
                      grid.cell_width * static_cast<double>(size_.columns),
                      grid.cell_height * static_cast<double>(size_.rows)};
      const Index number = page_.first + static_cast<Index>(i) + 1;
      caption(heads[i].id + ".title", heads[i].box, page_.of > 1 ? "head " + std::to_string(number) : "attention");
      ring(heads[i].id + ".ring", heads[i].box);
    }
    const ColorScale weights = heads.front().scale;
    for (HeatmapMark& mark : heads) figure_.heatmaps.push_back(std::move(mark));
    const double legend = top + kTitleHeight + content + 20;
    if (!colors) {
      figure_.color_bars.push_back(
          {"pixels", {0, 0, 100, 9}, grey, "pixel", number_text(grey.low, 3), number_text(grey.high, 3)});
    }
    figure_.color_bars.push_back(
        {"weights", {0, 0, 160, 9}, weights, "attention weight", "0", scale_end_text(weights)});
    place_legend(figure_.color_bars, {left, legend}, kMargin, figure_.width - 2 * kMargin);
    return std::move(figure_);
  }

 private:
  std::vector<HeatmapMark> head_marks() const {
    std::vector<HeatmapMark> heads;
    const Step& weights = *trace_.find("weights");
    const std::vector<Index> leading = leading_index(weights.axes, 2, 0, item_);
    const ColorScale scale = weights_scale(trace_, weights, leading);
    for (Index head = page_.first; head < page_.end() && !options_.stop.stop_requested(); ++head) {
      heads.push_back(*pixel_row_mark(trace_, "weights", {head, item_}, query_, size_.columns));
      heads.back().scale = scale;
    }
    return heads;
  }

  [[nodiscard]] std::string picture_caption(bool in_colors) const {
    if (channel_ > 0) return "channel " + std::to_string(channel_);
    if (!in_colors) return "mean of the channels";
    const PlacedPicture& picture = *placed_picture(trace_);
    return picture.file != nullptr ? "the picture" : picture.name;
  }

  void title(Point at) {
    const std::string words = "Attention from pixel (" + position_number(query_ / size_.columns) + ", " +
                              position_number(query_ % size_.columns) + ")";
    figure_.texts.push_back(title_mark("title", {at.x, at.y + 13}, words));
    if (page_.is_all()) return;
    const double behind = at.x + text_width(words, TypeSize::kTitle, FontWeight::semibold) + 12;
    TextMark page = title_mark("page", {behind, at.y + 13}, page_.text("heads"), TypeSize::kSmall);
    page.weight = FontWeight::regular;
    page.ink = Ink::dim;
    figure_.texts.push_back(std::move(page));
  }

  void caption(const std::string& id, const Rect& box, const std::string& words) {
    figure_.texts.push_back(title_mark(id, {box.x, box.y - 8}, words, TypeSize::kBody));
  }

  /// A frame around the query pixel, on every picture.
  void ring(const std::string& id, const Rect& box) {
    const double width = box.width / static_cast<double>(size_.columns);
    const double height = box.height / static_cast<double>(size_.rows);
    // It stays visible around small pixels.
    const double margin = std::max(1.0, (7 - width) / 2);
    const Index row = query_ / size_.columns;
    const Index column = query_ % size_.columns;
    const Rect pixel =
        Rect{box.x + static_cast<double>(column) * width, box.y + static_cast<double>(row) * height, width, height}
            .grown(margin);
    const std::vector<Point> corners = {{pixel.x, pixel.y},
                                        {pixel.right(), pixel.y},
                                        {pixel.right(), pixel.bottom()},
                                        {pixel.x, pixel.bottom()},
                                        {pixel.x, pixel.y}};
    // The accent of the light theme is as dark as small weights: a light edge sets it off.
    figure_.curves.push_back({id + ".edge", corners, Shade::of(Ink::control), 4, false});
    figure_.curves.push_back({id, corners, Shade::of(Ink::accent), 2, false});
  }

  const Trace& trace_;
  const ViewOptions& options_;
  PictureSize size_;
  Index item_;
  Index channel_;
  Page page_;
  Index query_ = 0;
  Figure figure_;
};

Index pages(const Trace& trace, const ParameterValues& /*chosen*/) { return page_count(head_count(trace), kMaxHeads); }

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  if (option == "page") return pages(trace, chosen) > 1;
  if (option == "item") return item_count(trace) > 1;
  return picture_size(trace).has_value();
}

std::string missing(const Trace& trace) {
  return picture_size(trace) ? "" : "This system has no picture: its tokens are not pixels.";
}

Figure build(const Trace& trace, const ViewOptions& options) {
  Figure figure = ImageLayout(trace, options).build();
  figure.title = trace.experiment().system + ": attention from a pixel";
  return figure;
}

}  // namespace

View image_view() {
  Parameter query = integer_parameter("query", "Pixel",
                                      "The query pixel, counted row by row from 1; 0: the middle. Or click a pixel "
                                      "of the picture.",
                                      0, 0, 256);
  Parameter channel = integer_parameter("channel", "Channel",
                                        "The channel to show; 0: all channels, as colours or as their mean.", 0, 0, 32);
  query.choice_labels = {"the middle"};
  channel.choice_labels = {"all"};
  View view = {"image",
               "Image",
               "Attention from one pixel of the picture, for every head.",
               {query, channel, item_option(), page_option()},
               applies,
               build};
  view.pages = pages;
  view.missing = missing;
  return view;
}

}  // namespace attnscope
