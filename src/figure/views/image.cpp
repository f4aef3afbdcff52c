// Attention between the pixels of a picture: one pixel asks, and every head shows where it looks.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/operations/draw.h"
#include "core/operations/pixels.h"
#include "core/plan/region.h"
#include "core/residual/lens.h"
#include "figure/layout/grid.h"
#include "figure/layout/legend.h"
#include "figure/layout/page.h"
#include "figure/slices/matrix.h"
#include "figure/slices/model_answers.h"
#include "figure/slices/selected.h"
#include "figure/slices/token_picture.h"
#include "figure/views/view.h"

namespace attnscope {
namespace image_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kTitleHeight = 28;
constexpr double kAnswerHeight = 16;
constexpr double kBesideTitle = 12;
constexpr double kPanelTitle = 20;
constexpr double kGap = 28;
constexpr double kLegendHeight = 44;
constexpr double kMaxPicture = 320;
constexpr Index kMaxHeads = 256;  // on one page: each has a frame around the query pixel

Index selected_number(const ViewOptions& options, std::string_view name, Index most) {
  return std::min(options.integer(name), most);
}

/// From black to white; `low` above `high` where no pixel is finite.
ColorScale brightness_from(double low, double high) {
  if (low > high) return {ColorMap::brightness, 0, 1};
  if (low < high) return {ColorMap::brightness, low, high};
  // An empty picture is black, not half way between two ends that are the same.
  if (low == 0) return {ColorMap::brightness, 0, 1};
  return {ColorMap::brightness, -std::abs(low), std::abs(low)};
}

/// The mean of the channels, or one of them.
HeatmapMark picture_mark(const TokenPicture& picture, int step, Index item, Index channel) {
  const Step& x = *picture.pixels;
  HeatmapMark mark;
  mark.id = "picture";
  mark.picks = {"query", picture.first + 1, picture.side};
  const auto leading = [&](Index c) { return x.axes.size() > 3 ? std::vector<Index>{item, c} : std::vector<Index>{c}; };
  const Index channels = picture.channels();
  if (picture.of_patches() && channels == 1) channel = 1;
  if (channel > 0) {
    mark.axes = x.axes;
    mark.leading = leading(channel - 1);
    mark.step = step;
    mark.about = x.name + ", channel " + std::to_string(channel);
    mark.source = slice_of(x.tensor, mark);
  } else {
    auto mean = std::make_shared<Tensor>(Axes{x.axes[x.axes.size() - 2], x.axes.back()});
    for (Index c = 0; c < channels; ++c) {
      const MatrixView one = x.tensor->matrix(leading(c));
      for (Index i = 0; i < mean->count(); ++i) {
        mean->values()[static_cast<std::size_t>(i)] +=
            one.at(i / one.columns, i % one.columns) / static_cast<float>(channels);
      }
    }
    mark.axes = mean->axes();
    mark.step = -1;
    mark.about = x.name + ", the mean of " + std::to_string(channels) + " channels";
    mark.source = slice_of(std::move(mean), mark);
  }
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
  mark.scale = brightness_from(static_cast<double>(low), static_cast<double>(high));
  return mark;
}

/// Pixels are painted one by one in every frame of the window.
constexpr Index kMaxColoredPixels = 4096;

/// The picture that the pixels were made from, in its colours.
struct SourcePicture {
  std::string name;
  Index columns = 0;
  std::vector<Rgb> colors;
};

/// Nothing with fewer than three channels, where attention sees no colours either, and nothing for noise.
std::optional<SourcePicture> source_picture(const Trace& trace, const TokenPicture& tokens) {
  const Index rows = tokens.rows * tokens.side;
  const Index columns = tokens.columns * tokens.side;
  if (tokens.channels() < kColors || rows * columns > kMaxColoredPixels) return std::nullopt;
  PlacedPicture picture;
  if (const auto* draw = as<DrawOperation>(tokens.pixels->operation); draw != nullptr && draw->picture) {
    picture = *draw->picture;
  } else if (const Step* pixels = tokens.of_patches() ? trace.find("pixels") : nullptr) {
    picture = as<PixelsOperation>(pixels->operation)->picture;
  } else {
    return std::nullopt;
  }
  SourcePicture source = {picture.file != nullptr || tokens.of_patches() ? "the picture" : picture.name, columns, {}};
  source.colors.reserve(static_cast<std::size_t>(rows * columns));
  const ColorPicture pixels = picture.pixels();
  for (Index row = 0; row < rows; ++row) {
    for (Index column = 0; column < columns; ++column) {
      const auto byte = [&](Index which) { return static_cast<std::uint8_t>(pixels.color(row, column, which)); };
      source.colors.push_back({byte(0), byte(1), byte(2)});
    }
  }
  return source;
}

/// "“3” 0.967, “5” 0.011, “9” 0.008": what a model of pictures says; empty where it says nothing.
std::string answer_text(const Trace& trace) {
  constexpr Index kAnswers = 3;
  const std::optional<ResidualStream> stream = residual_stream(trace);
  if (!stream) return "";
  std::vector<std::string> answers;
  for (const Answer& each : output_answers(trace, *stream, 0, kAnswers))
    answers.push_back("“" + answer_name(trace, each.number) + "” " + fixed_text(each.probability, 3));
  return join(answers, ", ");
}

class ImageLayout {
 public:
  ImageLayout(const Trace& trace, const ViewOptions& options)
      : trace_(trace),
        options_(options),
        tokens_(*token_picture(trace)),
        attention_(selected_attention(trace, options.values)),
        item_(selected_slice(trace, options.values).item),
        channel_(selected_number(options, "channel", tokens_.channels())),
        page_(page_of(head_count(trace), kMaxHeads, options.integer("page"))) {
    const Index asked = selected_number(options, "query", tokens_.tokens());
    const Index middle = tokens_.rows / 2 * tokens_.columns + tokens_.columns / 2;
    query_ = asked > 0 ? asked - 1 : tokens_.first + middle;
    if (const std::string says = tokens_.of_patches() ? answer_text(trace) : ""; !says.empty())
      answer_ = "answer " + says;
  }

  Figure build() {
    const auto step = static_cast<int>(tokens_.pixels - trace_.steps().data());
    HeatmapMark picture = picture_mark(tokens_, step, item_, channel_);
    std::vector<HeatmapMark> heads = head_marks();
    if (options_.stop.stop_requested()) return {};
    std::optional<SourcePicture> colors = channel_ > 0 ? std::nullopt : source_picture(trace_, tokens_);
    add_color_bars(colors ? nullptr : &picture.scale, heads.front().scale);
    const double width = options_.width - 2 * kMargin;
    const double title_height = kTitleHeight + (answer_stands_below() ? kAnswerHeight : 0);
    const double legend_height = kLegendHeight + legend_size(figure_.color_bars, width).height;
    const double height = options_.height > 0 ? options_.height - 2 * kMargin - title_height - legend_height : 0;
    const double side = std::min({kMaxPicture, width * 0.34, height > 0 ? height - kPanelTitle : kMaxPicture});
    const auto most = static_cast<double>(std::max(tokens_.rows, tokens_.columns));
    const double cell = side / most;
    const double rest = width - cell * static_cast<double>(tokens_.columns) - kGap;
    PanelShape shape = {tokens_.rows,
                        tokens_.columns,
                        0,
                        kPanelTitle,
                        20,
                        text_width(tokens_.of_patches() ? "head 10, class 0.00" : "head 10", TypeSize::kBody),
                        cell};
    const Grid grid = fit_grid(static_cast<Index>(heads.size()), shape, rest, height);
    const double picture_height = kPanelTitle + cell * static_cast<double>(tokens_.rows);
    const double content = std::max(picture_height, grid.height());
    const double used = cell * static_cast<double>(tokens_.columns) + kGap + grid.width();
    figure_.width = std::max(options_.width, used + 2 * kMargin);
    const double total = title_height + content + legend_height + 2 * kMargin;
    figure_.height = std::max(options_.height, total);
    const double left = (figure_.width - used) / 2;
    const double top = kMargin + (figure_.height - total) / 2;
    title({left, top});
    picture.box = {left, top + title_height + kPanelTitle, cell * static_cast<double>(tokens_.columns),
                   cell * static_cast<double>(tokens_.rows)};
    caption("picture.title", picture.box, picture_caption(colors));
    ring("picture.query", picture.box);
    if (colors) figure_.pixels.push_back({"picture.colors", picture.box, colors->columns, std::move(colors->colors)});
    figure_.heatmaps.push_back(std::move(picture));
    const double heads_left = left + cell * static_cast<double>(tokens_.columns) + kGap;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const Point corner = grid.corner(static_cast<Index>(i));
      heads[i].box = {heads_left + corner.x, top + title_height + kPanelTitle + corner.y,
                      grid.cell_width * static_cast<double>(tokens_.columns),
                      grid.cell_height * static_cast<double>(tokens_.rows)};
      caption(heads[i].id + ".title", heads[i].box, head_caption(page_.first + static_cast<Index>(i)));
      ring(heads[i].id + ".ring", heads[i].box);
    }
    for (HeatmapMark& mark : heads) figure_.heatmaps.push_back(std::move(mark));
    place_legend(figure_.color_bars, {left, top + title_height + content + 20}, kMargin, figure_.width - 2 * kMargin);
    return std::move(figure_);
  }

 private:
  /// `grey`: of a picture without colours.
  void add_color_bars(const ColorScale* grey, const ColorScale& weights) {
    if (grey != nullptr) {
      figure_.color_bars.push_back(
          {"pixels", {0, 0, 100, 9}, *grey, "pixel", number_text(grey->low, 3), number_text(grey->high, 3)});
    }
    figure_.color_bars.push_back(
        {"weights", {0, 0, 160, 9}, weights, "attention weight", "0", scale_end_text(weights)});
  }

  std::vector<HeatmapMark> head_marks() const {
    std::vector<HeatmapMark> heads;
    const Step& weights = *attention_.weights;
    const std::vector<Index> leading = leading_index(weights.axes, 2, 0, item_);
    const ColorScale scale = weights_scale(trace_, weights, leading);
    for (Index head = page_.first; head < page_.end() && !options_.stop.stop_requested(); ++head) {
      heads.push_back(*pixel_row_mark(trace_, weights.name, {head, item_}, query_, {tokens_.columns, tokens_.first}));
      heads.back().scale = scale;
    }
    return heads;
  }

  [[nodiscard]] std::string picture_caption(const std::optional<SourcePicture>& source) const {
    if (channel_ > 0) return "channel " + std::to_string(channel_);
    if (source) return source->name;
    return tokens_.of_patches() && tokens_.channels() == 1 ? "the picture" : "mean of the channels";
  }

  /// "head 2", of a model with the weight of the class token, which is no part of the picture.
  [[nodiscard]] std::string head_caption(Index head) const {
    std::string words = page_.of > 1 ? "head " + std::to_string(head + 1) : "attention";
    if (!tokens_.of_patches()) return words;
    const Step& weights = *attention_.weights;
    std::vector<Index> cell = leading_index(weights.axes, 2, head, item_);
    cell.insert(cell.end(), {query_, 0});
    const auto step = static_cast<int>(&weights - trace_.steps().data());
    const float weight = trace_.numbers(region_within(step, weights.axes, cell))->values().front();
    return words + ", class " + fixed_text(static_cast<double>(weight), 2);
  }

  [[nodiscard]] std::string title_words() const {
    std::string words = "Attention from " + tokens_.token_text(query_);
    if (layer_count(trace_) > 1) words += ", " + attention_.title;
    return words;
  }

  /// Whether there is no room for the answer beside the title.
  [[nodiscard]] bool answer_stands_below() const {
    return !answer_.empty() && text_width(title_words(), TypeSize::kTitle, FontWeight::semibold) + kBesideTitle +
                                       text_width(answer_, TypeSize::kSmall) >
                                   options_.width - 2 * kMargin;
  }

  void title(Point at) {
    const std::string words = title_words();
    figure_.texts.push_back(title_mark("title", {at.x, at.y + 13}, words));
    const double end = at.x + text_width(words, TypeSize::kTitle, FontWeight::semibold) + kBesideTitle;
    const bool below = answer_stands_below();
    if (below) {
      note("answer", {at.x, at.y + 13 + kAnswerHeight}, answer_);
    } else if (!answer_.empty()) {
      note("answer", {end, at.y + 13}, answer_);
    }
    if (!page_.is_all()) note("page", {end, at.y + (answer_.empty() || below ? 13 : -1)}, page_.text("heads"));
  }

  /// Small words after the title, as far as there is room.
  void note(const std::string& id, Point at, const std::string& words) {
    const double room = figure_.width - kMargin - at.x;
    TextMark mark = title_mark(id, at, shortened_text(words, room, TypeSize::kSmall), TypeSize::kSmall);
    mark.weight = FontWeight::regular;
    mark.ink = Ink::dim;
    figure_.texts.push_back(std::move(mark));
  }

  void caption(const std::string& id, const Rect& box, const std::string& words) {
    figure_.texts.push_back(title_mark(id, {box.x, box.y - 8}, words, TypeSize::kBody));
  }

  /// A frame around the query pixel, on every picture.
  void ring(const std::string& id, const Rect& box) {
    if (query_ < tokens_.first) return;
    const double width = box.width / static_cast<double>(tokens_.columns);
    const double height = box.height / static_cast<double>(tokens_.rows);
    // It stays visible around small pixels.
    const double margin = std::max(1.0, (7 - width) / 2);
    const Index row = (query_ - tokens_.first) / tokens_.columns;
    const Index column = (query_ - tokens_.first) % tokens_.columns;
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
  TokenPicture tokens_;
  SelectedAttention attention_;
  Index item_;
  Index channel_;
  Page page_;
  Index query_ = 0;
  std::string answer_;  ///< what the model says; empty if it says nothing
  Figure figure_;
};

Index pages(const Trace& trace, const ParameterValues& /*chosen*/) { return page_count(head_count(trace), kMaxHeads); }

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  if (option == "page") return pages(trace, chosen) > 1;
  if (option == "item") return item_count(trace) > 1;
  if (option == "layer") return layer_count(trace) > 1;
  const std::optional<TokenPicture> picture = token_picture(trace);
  if (option == "channel" && picture && picture->of_patches()) return picture->channels() > 1;
  return picture.has_value();
}

std::string missing(const Trace& trace) {
  if (token_picture(trace)) return no_attention(trace);
  if (trace.experiment().model != nullptr) return "This model reads text: its tokens are not part of a picture.";
  return "This system has no picture: its tokens are not pixels.";
}

Figure build(const Trace& trace, const ViewOptions& options) {
  Figure figure = ImageLayout(trace, options).build();
  figure.title =
      trace.experiment().system + ": attention from a " + (token_picture(trace)->of_patches() ? "patch" : "pixel");
  return figure;
}

}  // namespace
}  // namespace image_view_parts

View image_view() {
  Parameter query = integer_parameter("query", "Query",
                                      "The query pixel, counted row by row from 1; 0: the middle. Or click a pixel "
                                      "of the picture. In a trained model, 1 is the class token, and the patches "
                                      "follow.",
                                      0, 0, 256);
  Parameter channel = integer_parameter("channel", "Channel",
                                        "The channel to show; 0: all channels, as colours or as their mean.", 0, 0, 32);
  query.choice_labels = {"the middle"};
  channel.choice_labels = {"all"};
  View view = {"image",
               "Image",
               "Attention from one pixel or patch of the picture, for every head.",
               {layer_option(), query, channel, item_option(), page_option()},
               image_view_parts::applies,
               image_view_parts::build};
  view.pages = image_view_parts::pages;
  view.missing = image_view_parts::missing;
  return view;
}

}  // namespace attnscope
