#include "figure/blocks/part_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "figure/layout/legend.h"
#include "figure/slices/matrix.h"

namespace attnscope {
namespace {

constexpr double kColumnNames = 20;
constexpr double kSectionGap = 10;
constexpr double kSideWidth = 64;
constexpr double kLeastCell = 8;
constexpr double kMostCell = 72;
constexpr double kLeastRow = 12;
constexpr double kMostRow = 34;
constexpr double kNamedCell = 48;  // room for "head 1"
constexpr Index kMaxHeadTargets = 4096;
constexpr double kPaleShare = 3;   // of others to heads, from which on the colours end at the heads
constexpr double kMostShare = 20;  // but no earlier than this: heads that hardly count stay pale

/// "token embeddings" for the step "decoder.token_embeddings".
std::string embedding_name(std::string name) {
  name = name.substr(name.rfind('.') + 1);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name == "embedded" ? "embeddings" : name;
}

/// "layer 2", "layer 2, cross"; `both`: beside those of an encoder.
std::string layer_name(const LayerAttention& attention, bool both) {
  const char* part = "";
  if (both) part = attention.kind == AttentionKind::encoder ? "encoder " : "decoder ";
  return part + ("layer " + std::to_string(attention.layer)) +
         (attention.kind == AttentionKind::cross ? ", cross" : "");
}

/// A matrix of numbers that the view computed.
HeatmapMark parts_mark(const std::string& id, Index columns, const std::vector<double>& values, const ColorScale& scale,
                       const PartWords& words) {
  const Index rows = std::ssize(values) / columns;
  auto numbers = std::make_shared<Tensor>(Axes{{"layer", rows}, {"part", columns}});
  std::transform(values.begin(), values.end(), numbers->values().begin(),
                 [](double x) { return static_cast<float>(x); });
  HeatmapMark mark;
  mark.id = id;
  mark.step = -1;
  mark.axes = numbers->axes();
  mark.scale = scale;
  mark.about = words.about;
  mark.source = slice_of(std::move(numbers), mark);
  return mark;
}

void add_hint(Figure& figure, const HeatmapMark& mark, Index row, const std::string& about) {
  const double height = mark.box.height / static_cast<double>(mark.rows());
  TargetMark target;
  target.id = mark.id + "." + std::to_string(row) + ".hint";
  target.box = {mark.box.x, mark.box.y + static_cast<double>(row) * height, mark.box.width, height};
  target.about = about;
  figure.targets.push_back(std::move(target));
}

}  // namespace

PartMap::PartMap(const Trace& trace, const Contributions& parts, const PartWords& words)
    : trace_(trace), parts_(parts), words_(words), links_(trace) {
  const std::vector<LayerAttention> attentions = layer_attentions(trace);
  double most = std::abs(parts.biases.value_or(0));
  double most_of_heads = 0;
  const bool both = std::ranges::any_of(parts.layers, [&](const LayerParts& layer) {
    const auto found = std::ranges::find(attentions, layer.weights, &LayerAttention::weights);
    return found != attentions.end() && found->kind == AttentionKind::encoder;
  });
  const auto look_at = [&](double value) { most = std::max(most, std::abs(value)); };
  for (const LayerParts& layer : parts.layers) {
    const auto found = std::ranges::find(attentions, layer.weights, &LayerAttention::weights);
    const bool known = found != attentions.end();
    layers_.push_back(known ? layer_name(*found, both) : "");
    heads_ = std::max<Index>(heads_, std::ssize(layer.heads));
    for (const double value : layer.heads) most_of_heads = std::max(most_of_heads, std::abs(value));
    look_at(layer.bias.value_or(0));
    look_at(layer.mlp.value_or(0));
  }
  for (const EmbeddingPart& each : parts.embeddings) {
    look_at(each.value);
    const std::string& name = trace.step(each.step).name;
    labels_ = std::max(labels_, text_width(embedding_name(name), TypeSize::kSmall));
  }
  if (parts.biases) labels_ = std::max(labels_, text_width(words_.biases, TypeSize::kSmall));
  for (const std::string& name : layers_) labels_ = std::max(labels_, text_width(name, TypeSize::kSmall));
  labels_ += kLabelDistance;
  // One large MLP would leave all heads pale.
  most = std::max(most, most_of_heads);
  largest_ = most;
  if (most_of_heads > 0 && most > kPaleShare * most_of_heads) most = std::max(most_of_heads, most / kMostShare);
  if (!(most > 0) || !std::isfinite(most)) most = 1;
  scale_ = {ColorMap::red_blue, -most, most};
  const auto has = [&](std::optional<double> LayerParts::*value) {
    return std::ranges::any_of(parts_.layers, [&](const LayerParts& layer) { return (layer.*value).has_value(); });
  };
  if (has(&LayerParts::bias)) sides_.push_back({"bias", "bias", &LayerParts::bias});
  if (has(&LayerParts::mlp)) sides_.push_back({"mlp", "MLP", &LayerParts::mlp});
}

void PartMap::add_legend(Figure& figure, const std::string& id, Point at, double margin, const char* words) const {
  const bool goes_on = largest_ > scale_.high;
  ColorBarMark bar = {id,
                      {0, 0, 160, 9},
                      scale_,
                      words != nullptr ? words : words_.about,
                      (goes_on ? "≤ " : "") + number_text(scale_.low, 3),
                      (goes_on ? "≥ " : "") + number_text(scale_.high, 3)};
  place_legend({&bar, 1}, {at.x + labels_, at.y + 16}, margin, figure.width - 2 * margin);
  figure.color_bars.push_back(std::move(bar));
}

void PartMap::reach(double magnitude) {
  scale_.high = std::max(scale_.high, magnitude);
  scale_.low = -scale_.high;
}

double PartMap::side_width() const { return static_cast<double>(sides_.size()) * (kSideWidth + kSectionGap); }

double PartMap::least_width() const {
  return labels_ + std::max(kSideWidth, static_cast<double>(heads_) * kLeastCell) + side_width();
}

double PartMap::height_for(double row) const {
  const std::size_t singles = parts_.embeddings.size() + (parts_.biases ? 1 : 0);
  const double gaps = kSectionGap * (1 + (parts_.biases ? 1 : 0));
  return kColumnNames + gaps + row * static_cast<double>(singles + parts_.layers.size());
}

void PartMap::fit(double width, double height) {
  const auto heads = static_cast<double>(std::max<Index>(1, heads_));
  cell_ = std::clamp((width - labels_ - side_width()) / heads, kLeastCell, kMostCell);
  if (height <= 0) return;
  row_ = std::floor(std::clamp((height - height_for(0)) / (height_for(1) - height_for(0)), kLeastRow, kMostRow));
}

double PartMap::layers_top(Point at) const {
  return at.y + static_cast<double>(parts_.embeddings.size()) * row_ + kSectionGap + kColumnNames;
}

void PartMap::add(Figure& figure, Point at) const {
  double y = at.y;
  for (std::size_t i = 0; i < parts_.embeddings.size(); ++i, y += row_) {
    const EmbeddingPart& part = parts_.embeddings[i];
    add_single(figure, "embedding." + std::to_string(i), embedding_name(trace_.step(part.step).name), part.value,
               {at.x, y});
  }
  add_header(figure, at);
  add_heads(figure, at);
  double left = at.x + labels_ + static_cast<double>(heads_) * cell_ + kSectionGap;
  for (const SideColumn& column : sides_) {
    add_side(figure, column, left, layers_top(at));
    left += kSideWidth + kSectionGap;
  }
  if (!parts_.biases) return;
  y = layers_top(at) + static_cast<double>(parts_.layers.size()) * row_ + kSectionGap;
  add_single(figure, "biases", words_.biases, *parts_.biases, {at.x, y});
}

void PartMap::add_single(Figure& figure, const std::string& id, const std::string& name, double value, Point at) const {
  HeatmapMark mark = parts_mark(id, 1, {value}, scale_, words_);
  mark.box = {at.x + labels_, at.y, std::max(cell_, kSideWidth), row_ - 1};
  mark.row_labels = {name};
  const std::string what = id == "biases" ? "The biases of the final norm and of the output together" : "The " + name;
  add_hint(figure, mark, 0, what + words_.some_do + number_text(value));
  figure.heatmaps.push_back(std::move(mark));
}

void PartMap::add_header(Figure& figure, Point at) const {
  const double baseline = layers_top(at) - kLabelDistance;
  const auto text = [&](const std::string& id, double x, const std::string& words, HorizontalAlign align) {
    figure.texts.push_back({"column." + id,
                            {x, baseline},
                            words,
                            TypeSize::kSmall,
                            FontWeight::regular,
                            Ink::dim,
                            align,
                            VerticalAlign::baseline,
                            0});
  };
  if (cell_ < kNamedCell) text("head", at.x + labels_ - kLabelDistance, "head", HorizontalAlign::right);
  double left = at.x + labels_ + static_cast<double>(heads_) * cell_ + kSectionGap;
  for (const SideColumn& column : sides_) {
    text(column.id, left + kSideWidth / 2, column.title, HorizontalAlign::center);
    left += kSideWidth + kSectionGap;
  }
}

/// Consecutive layers with equally many heads share a matrix.
void PartMap::add_heads(Figure& figure, Point at) const {
  std::vector<std::string> names;
  for (Index head = 0; head < heads_; ++head) names.push_back("head " + std::to_string(head + 1));
  for (std::size_t first = 0; first < parts_.layers.size();) {
    const std::size_t heads = parts_.layers[first].heads.size();
    std::size_t end = first;
    std::vector<double> values;
    for (; end < parts_.layers.size() && parts_.layers[end].heads.size() == heads; ++end)
      values.insert(values.end(), parts_.layers[end].heads.begin(), parts_.layers[end].heads.end());
    if (heads > 0) {
      HeatmapMark mark =
          parts_mark("heads." + std::to_string(first), static_cast<Index>(heads), values, scale_, words_);
      mark.box = {at.x + labels_, layers_top(at) + static_cast<double>(first) * row_,
                  static_cast<double>(heads) * cell_, static_cast<double>(end - first) * row_};
      mark.row_labels = std::vector<std::string>(layers_.begin() + static_cast<std::ptrdiff_t>(first),
                                                 layers_.begin() + static_cast<std::ptrdiff_t>(end));
      if (first == 0) mark.column_labels = cell_ < kNamedCell ? position_numbers(heads_) : names;
      add_head_targets(figure, mark, first);
      figure.heatmaps.push_back(std::move(mark));
    }
    first = end;
  }
}

void PartMap::add_head_targets(Figure& figure, const HeatmapMark& mark, std::size_t first) const {
  if (mark.rows() * mark.columns() > kMaxHeadTargets) return;
  for (Index row = 0; row < mark.rows(); ++row) {
    const std::size_t layer = first + static_cast<std::size_t>(row);
    const LayerParts& parts = parts_.layers[layer];
    for (Index head = 0; head < mark.columns(); ++head) {
      TargetMark target;
      target.id = "open." + std::to_string(layer) + "." + std::to_string(head);
      target.box = {mark.box.x + static_cast<double>(head) * cell_, mark.box.y + static_cast<double>(row) * row_, cell_,
                    row_};
      target.about = "Head " + std::to_string(head + 1) + " of " + layers_[layer] + words_.one_does +
                     number_text(parts.heads[static_cast<std::size_t>(head)]);
      const Step* const weights = parts.weights >= 0 ? &trace_.step(parts.weights) : nullptr;
      if (const auto open = weights != nullptr ? links_.to(weights->name, head) : std::nullopt) {
        target.about += "\nClick to open it";
        target.click = *open;
      }
      figure.targets.push_back(std::move(target));
    }
  }
}

/// Consecutive layers that have such a part share a matrix.
void PartMap::add_side(Figure& figure, const SideColumn& column, double left, double top) const {
  const std::vector<LayerParts>& layers = parts_.layers;
  const bool mlp = column.value == &LayerParts::mlp;
  for (std::size_t first = 0; first < layers.size(); ++first) {
    std::vector<double> values;
    const std::size_t begin = first;
    for (; first < layers.size() && layers[first].*column.value; ++first)
      values.push_back(*(layers[first].*column.value));
    if (values.empty()) continue;
    HeatmapMark mark = parts_mark(column.id + "." + std::to_string(begin), 1, values, scale_, words_);
    mark.box = {left, top + static_cast<double>(begin) * row_, kSideWidth, static_cast<double>(values.size()) * row_};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string what = mlp ? "The MLP of " : "The bias of the output projection of ";
      add_hint(figure, mark, static_cast<Index>(i),
               what + layers_[begin + i] + words_.one_does + number_text(values[i]));
    }
    figure.heatmaps.push_back(std::move(mark));
  }
}

}  // namespace attnscope
