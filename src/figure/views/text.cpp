// The text as it reads, shaded by the attention of one of its tokens.
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "figure/blocks/wrapped_words.h"
#include "figure/layout/legend.h"
#include "figure/layout/page.h"
#include "figure/slices/matrix.h"
#include "figure/slices/running_text.h"
#include "figure/slices/token_picture.h"
#include "figure/slices/token_shading.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace text_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kWidest = 880;
constexpr double kNarrowest = 200;  // of the lines
constexpr double kTitleLine = 20;
constexpr double kNoteLine = 16;
constexpr double kHeaderDistance = 8;  // from the last line of the header to the text
constexpr double kCaption = 20;
constexpr double kBetween = 18;  // two texts
constexpr double kLegendHeight = 44;
constexpr Index kMaxTokens = 400;  // of a text on a page: still readable in a small window
// The type is as large as fits. The height of a file is free: short texts are larger there too.
constexpr std::array<double, 9> kTypes = {18, 16, 15, 14, 13, 12, 11, 10, 9};
constexpr double kLargestInFile = 16;
constexpr double kShortText = 160;

/// A text of the figure: the shaded tokens, or those of which one is chosen, or both.
struct Section {
  std::string id;  ///< begins the ids of its marks
  const Axis* axis = nullptr;
  bool shaded = false;
  bool has_chosen = false;
  Page page;
  std::vector<TextPiece> pieces;  ///< of the page
  WrappedWords words;
  Point at;

  [[nodiscard]] bool shows(Index token) const { return token >= page.first && token < page.end(); }
};

class TextLayout {
 public:
  TextLayout(const Trace& trace, const TokenShading& shading, const ViewOptions& options)
      : trace_(trace), shading_(shading), options_(options) {
    const double most = shading.most();
    scale_ = {ColorMap::viridis, 0, options.choice("range") == "one" || most == 0 ? 1 : most};
    if (shading.has_two_texts()) {
      sections_ = {section("query", shading.query_axis(), !shading.question.from, shading.question.from),
                   section("key", shading.key_axis(), shading.question.from, !shading.question.from)};
    } else {
      sections_ = {section("token", shading.key_axis(), true, true)};
    }
  }

  Figure build() {
    place();
    header();
    for (const Section& each : sections_) add(each);
    const std::string most = scale_.high == 1 ? "1" : number_text(scale_.high, 3);
    figure_.color_bars = {{"scale", {0, 0, 160, 9}, scale_, shading_quantity(shading_), "0", most}};
    place_legend(figure_.color_bars, {left_, legend_}, kMargin, figure_.width - 2 * kMargin);
    return std::move(figure_);
  }

 private:
  [[nodiscard]] Section section(const char* id, const Axis& axis, bool shaded, bool has_chosen) const {
    Section each = {id, &axis, shaded, has_chosen, page_of(axis.size, kMaxTokens, options_.integer("page")),
                    {}, {},    {}};
    each.pieces = running_text(trace_, tensor(), axis, each.page.first, each.page.count, shading_.question.item);
    return each;
  }

  [[nodiscard]] const std::string& tensor() const { return shading_.of.weights->name; }
  [[nodiscard]] bool has_captions() const { return sections_.size() > 1; }

  // The header.

  /// What is left out, and what has no colour.
  [[nodiscard]] std::string remarks() const {
    std::string words = left_out_text(shading_, options_.choice("leave_out"));
    const auto add_sentence = [&](const std::string& sentence) { words += (words.empty() ? "" : " ") + sentence; };
    const auto zero = [&](Index token) { return shading_.weight(token) == 0 && !shading_.is_left_out(token); };
    bool any_zero = false;
    for (const Section& each : sections_) {
      for (Index i = each.page.first; each.shaded && i < each.page.end(); ++i) any_zero = any_zero || zero(i);
    }
    if (any_zero) add_sentence("Without colour: weight 0.");
    if (shading_.question.heads == HeadCombination::rollout)
      add_sentence("Rollout: ½ (mean of the heads + identity), multiplied from layer to layer.");
    return words;
  }

  /// Where the chosen token is: "token 7 of 12".
  [[nodiscard]] std::string place_text(const Section& each) const {
    const Index token = shading_.question.token;
    return "token " + grouped_text(token + 1) + " of " + grouped_text(each.page.of) +
           (each.shows(token) ? "" : ", on page " + grouped_text(token / kMaxTokens + 1));
  }

  /// In one line, or in those of its two parts.
  [[nodiscard]] std::vector<std::string> wrapped_title() const {
    const auto wrapped = [&](const std::string& words) {
      return wrapped_text(words, width_, TypeSize::kTitle, FontWeight::semibold);
    };
    const ShadingTitle title = shading_title(trace_, shading_);
    std::vector<std::string> lines = wrapped(title.text());
    if (lines.size() < 2 || title.which.empty()) return lines;
    lines = wrapped(title.question + ":");
    for (std::string& line : wrapped(title.which)) lines.push_back(std::move(line));
    return lines;
  }

  /// Breaks the header into lines, and returns its height.
  double wrap_header() {
    title_ = wrapped_title();
    notes_ = wrapped_text(remarks(), width_, TypeSize::kSmall);
    const auto lines = static_cast<double>(notes_.size() + 1 + (has_pages() ? 1 : 0));
    return kTitleLine * static_cast<double>(title_.size()) + kNoteLine * lines + kHeaderDistance;
  }

  [[nodiscard]] const Section& longest() const {
    return *std::ranges::max_element(sections_, {}, [](const Section& each) { return each.page.pages; });
  }
  [[nodiscard]] bool has_pages() const { return !longest().page.is_all(); }

  void header() {
    double y = top_ + 13;
    for (std::size_t i = 0; i < title_.size(); ++i, y += kTitleLine) {
      const std::string id = i == 0 ? "title" : std::to_string(i) + ".title";
      figure_.texts.push_back(title_mark(id, {left_, y}, literal_markup(title_[i])));
    }
    for (const Section& each : sections_) {
      if (!each.has_chosen) continue;
      small("position", {left_, y}, place_text(each));
      if (each.shows(shading_.question.token)) continue;
      open_page("position", {left_, y}, place_text(each), shading_.question.token / kMaxTokens + 1);
      figure_.texts.back().ink = Ink::accent;
    }
    y += kNoteLine;
    for (std::size_t i = 0; i < notes_.size(); ++i, y += kNoteLine)
      small("note." + std::to_string(i), {left_, y}, notes_[i]);
    if (has_pages()) pages_line(y);
  }

  void pages_line(double y) {
    const Page& page = longest().page;
    const std::string shown = page.text("tokens");
    small("page", {left_, y}, shown);
    if (options_.for_file) return;
    double x = left_ + text_width(shown, TypeSize::kSmall) + 16;
    for (const auto& [id, words, number] : {std::tuple("page.earlier", "‹ earlier", page.number - 1),
                                            std::tuple("page.later", "later ›", page.number + 1)}) {
      const bool possible = number >= 1 && number <= page.pages;
      small(id, {x, y}, words, possible ? Ink::accent : Ink::line);
      if (possible) open_page(id, {x, y}, words, number);
      x += text_width(words, TypeSize::kSmall) + 12;
    }
  }

  void small(const std::string& id, Point at, const std::string& words, Ink ink = Ink::dim) {
    figure_.texts.push_back({id, at, literal_markup(words), TypeSize::kSmall, FontWeight::regular, ink,
                             HorizontalAlign::left, VerticalAlign::baseline, 0});
  }

  /// Makes words at `at` open a page.
  void open_page(const std::string& id, Point at, const std::string& words, Index page) {
    figure_.targets.push_back({id,
                               {at.x, at.y - 12, text_width(words, TypeSize::kSmall), 16},
                               "Click for page " + grouped_text(page),
                               SetOptions{{{"page", page}}}});
  }

  // The text.

  /// Decides on the sizes, and places the texts.
  void place() {
    figure_.width = std::max(options_.width, std::max(kNarrowest, least_width()) + 2 * kMargin);
    width_ = std::min(figure_.width - 2 * kMargin, kWidest);
    left_ = std::round((figure_.width - width_) / 2);
    const double header = wrap_header();
    const double captions = has_captions() ? 2 * kCaption + kBetween : 0;
    const double besides = 2 * kMargin + header + captions + kLegendHeight;
    const double height = besides + wrap(options_.height > 0 ? options_.height - besides : 0);
    figure_.height = std::max(options_.height, height);
    top_ = kMargin + std::floor((figure_.height - height) / 2);
    double y = top_ + header;
    for (Section& each : sections_) {
      if (has_captions()) y += kCaption;
      each.at = {left_, y};
      y += each.words.height + kBetween;
    }
    legend_ = y - kBetween + 16;
  }

  /// Room for what is never broken.
  [[nodiscard]] double least_width() const {
    double widest =
        legend_size(std::array{ColorBarMark{"", {0, 0, 160, 9}, {}, shading_quantity(shading_), "", ""}}, 0).width;
    for (const std::string& word : split(shading_title(trace_, shading_).text() + ":", ' '))
      widest = std::max(widest, text_width(word, TypeSize::kTitle, FontWeight::semibold));
    if (has_pages()) {
      const std::string line = longest().page.text("tokens") + "‹ earlier" + "later ›";
      widest = std::max(widest, text_width(line, TypeSize::kSmall) + 32);
    }
    return widest;
  }

  /// Wraps all texts in the largest type with which they are no higher than `room`, 0: a file; returns their height.
  double wrap(double room) {
    double height = 0;
    for (const double size : kTypes) {
      if (room <= 0 && size > kLargestInFile) continue;
      height = 0;
      for (Section& each : sections_) {
        each.words = wrapped_words(each.pieces, width_, size);
        height += each.words.height;
      }
      const bool fits = height <= (room > 0 ? room : kShortText);
      if (fits || (room <= 0 && size <= TypeSize::kBody)) break;
    }
    return height;
  }

  void add(const Section& each) {
    if (has_captions())
      small(each.id + ".caption", {each.at.x, each.at.y - 7}, each.id == "query" ? "queries" : "keys");
    for (std::size_t i = 0; i < each.pieces.size(); ++i) add_piece(each, i);
    const Index token = shading_.question.token;
    if (each.has_chosen && each.shows(token)) ring(box_of(each, static_cast<std::size_t>(token - each.page.first)));
  }

  [[nodiscard]] static Rect box_of(const Section& each, std::size_t i) {
    Rect box = each.words.pieces[i].box;
    box.x += each.at.x;
    box.y += each.at.y;
    return box;
  }

  void add_piece(const Section& each, std::size_t i) {
    const TextPiece& piece = each.pieces[i];
    const PlacedPiece& placed = each.words.pieces[i];
    const Index token = each.page.first + static_cast<Index>(i);
    WordMark word;
    word.id = each.id + "." + std::to_string(token);
    word.box = box_of(each, i);
    word.text = placed.text;
    word.indent = placed.indent;
    word.size = placed.size;
    const bool counts = each.shaded && !shading_.is_left_out(token);
    // A token that the mask hides would be as dark as one that hardly counts.
    if (counts && shading_.weight(token) != 0) {
      word.value = shading_.weight(token);
      word.scale = scale_;
    }
    if (!word.value && (each.shaded || piece.special || piece.ends_line)) word.ink = Ink::dim;
    if (!word.value && piece.special) figure_.bars.push_back({word.id + ".chip", word.box, Shade::of(Ink::control)});
    figure_.targets.push_back(target(each, piece, word));
    figure_.words.push_back(std::move(word));
  }

  /// A click chooses the token; its number is inspected.
  [[nodiscard]] TargetMark target(const Section& each, const TextPiece& piece, const WordMark& word) const {
    const Index token = each.page.first + static_cast<Index>(&piece - each.pieces.data());
    TargetMark target;
    target.id = word.id;
    target.box = word.box;
    target.about = "Token " + grouped_text(token + 1);
    target.token = NamedToken{token, word.text};
    if (piece.id >= 0) target.about += ", id " + std::to_string(piece.id);
    if (each.shaded) target.cell = shading_cell(shading_, token);
    if (!target.cell && label_of(trace_, tensor(), *each.axis, token, shading_.question.item))
      target.about += ", " + token_text(trace_, tensor(), *each.axis, token, shading_.question.item);
    if (each.shaded) target.about += numbers_text(token);
    ParameterValues values = {{"position", token + 1}};
    const bool turns = each.shaded && has_captions();
    if (turns) values["direction"] = std::string(shading_.question.from ? "to" : "from");
    const bool chosen = each.has_chosen && token == shading_.question.token;
    if (!chosen) target.about += turns ? "\nClick to choose it, and see the other direction" : "\nClick to choose it";
    if (!chosen) target.click = SetOptions{std::move(values)};
    return target;
  }

  /// What no cell of the weights says.
  [[nodiscard]] std::string numbers_text(Index token) const {
    const TokenAttention& attention = *shading_.attention;
    const std::string number = number_text(static_cast<double>(shading_.weight(token)));
    if (shading_.question.heads == HeadCombination::rollout) return ": rollout " + number;
    if (shading_.question.heads != HeadCombination::mean) return "";
    const auto at = static_cast<std::size_t>(token);
    return ": mean weight " + number + ", largest " + number_text(static_cast<double>(attention.largest[at])) +
           " in head " + grouped_text(attention.largest_head[at] + 1);
  }

  /// A frame around the chosen token. Between them is the hairline between words, as the accent of the light theme is as
  /// dark as small weights.
  void ring(const Rect& word) {
    const Rect box = word.grown(2);
    const std::vector<Point> corners = {
        {box.x, box.y}, {box.right(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}, {box.x, box.y}};
    figure_.curves.push_back({"chosen", corners, Shade::of(Ink::accent), 2, false});
  }

  const Trace& trace_;
  const TokenShading& shading_;
  const ViewOptions& options_;
  ColorScale scale_;
  std::vector<Section> sections_;
  std::vector<std::string> title_;
  std::vector<std::string> notes_;
  double left_ = 0;
  double top_ = 0;
  double width_ = 0;
  double legend_ = 0;
  Figure figure_;
};

std::string missing(const Trace& trace) {
  if (token_picture(trace)) return "There is no text to read: the tokens are pixels or patches of a picture.";
  return no_attention(trace);
}

Index pages(const Trace& trace, const ParameterValues& chosen) {
  const Axes& axes = selected_attention(trace, chosen).weights->axes;
  return page_count(std::max(axes.back().size, axes[axes.size() - 2].size), kMaxTokens);
}

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  if (option == "page") return pages(trace, chosen) > 1;
  if (option == "position") return option_limit(trace, option, chosen) > 1;
  if (option == "head") return head_combination(chosen) == HeadCombination::one && leaves_choice(trace, option);
  const bool of_attention = option == "attention" || option == "layer" || option == "item";
  return !of_attention || leaves_choice(trace, option);
}

Figure build(const Trace& trace, const ViewOptions& options) {
  if (head_combination(options.values) == HeadCombination::rollout) {
    const auto weights = selected_attention(trace, options.values).weights - trace.steps().data();
    const std::string reason = no_rollout(trace, static_cast<int>(weights));
    if (!reason.empty()) return reason_figure(reason, options);
  }
  const TokenShading shading = token_shading(trace, options);
  if (shading.attention == nullptr || options.stop.stop_requested()) return {};
  Figure figure = TextLayout(trace, shading, options).build();
  figure.title = shading_title(trace, shading).text();
  return figure;
}

std::vector<Parameter> text_options() {
  Parameter position = integer_parameter(
      "position", "Token", "The token whose attention is shown, counted from 1; 0: the last one.", 0, 0, 64);
  position.choice_labels = {"last"};
  return {attention_option(),
          layer_option(),
          head_option(),
          choice_parameter("heads", "Heads",
                           "One head; the mean or the maximum of the layer's heads; or rollout: what flows through all "
                           "layers up to this one (Abnar & Zuidema 2020).",
                           {"one", "mean", "maximum", "rollout"}, {"one", "mean", "maximum", "rollout"}),
          item_option(),
          position,
          choice_parameter("direction", "Direction", "What the chosen token attends to, or which tokens attend to it.",
                           {"from", "to"}, {"from it", "to it"}),
          choice_parameter("leave_out", "Leave out",
                           "Tokens without colour: the first or special ones, which often take most attention.",
                           {"none", "first", "special"}, {"none", "first token", "special tokens"}),
          choice_parameter("range", "Colours up to", "The number with the last colour: the largest shown, or 1.",
                           {"largest", "one"}, {"the largest", "1"}),
          page_option()};
}

}  // namespace
}  // namespace text_view_parts

View text_view() {
  View view = {"text",
               "Text",
               "The text as it reads, shaded by what one of its tokens attends to, or by what attends to it.",
               text_view_parts::text_options(),
               text_view_parts::applies,
               text_view_parts::build,
               text_view_parts::missing,
               layer_names};
  view.pages = text_view_parts::pages;
  return view;
}

}  // namespace attnscope
