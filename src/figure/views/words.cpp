// A head in terms of words: which tokens of the vocabulary a query seeks, and whose logits attending to a key changes.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/residual/head_words.h"
#include "figure/blocks/token_matrix.h"
#include "figure/blocks/value_row.h"
#include "figure/layout/chart.h"
#include "figure/slices/chosen_pair.h"
#include "figure/slices/selected.h"
#include "figure/slices/token_names.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace words_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 28;
constexpr double kRow = kValueRowHeight;
constexpr double kHeading = 24;
constexpr double kBetweenEnds = 12;
constexpr double kBetween = 36;
constexpr double kLeastColumn = 300;
constexpr double kWidestColumn = 460;
constexpr double kMostName = 130;
constexpr Index kLargest = 10;  // of each end
constexpr double kLeastRows = 3;

/// Both lists, or why there is none.
struct Words {
  Result<WordList> sought;
  Result<WordList> written;
};

class WordsLayout {
 public:
  WordsLayout(const Trace& trace, const ViewOptions& options, const ScoreChoice& choice, const Words& words)
      : trace_(trace), options_(options), choice_(choice) {
    const std::string query = pair_token(trace, choice, ScoreSide::query);
    const std::string key = pair_token(trace, choice, ScoreSide::key);
    lists_[0] = {"sought", "Query " + query + " seeks",
                 "The score it would give each token of the vocabulary as a key at position " +
                     position_number(choice.key) +
                     ": from the token’s embedding alone, without what earlier layers and position embeddings add" +
                     (words.sought && words.sought->fixed_norm ? ", the norm of keys held fixed." : "."),
                 words.sought};
    lists_[1] = {"written", "Attending to " + key + " writes",
                 "What a weight of 1 would add to the logit of each token at position " +
                     position_number(choice.query) + ", through the output projection and the final norm, held fixed.",
                 words.written};
  }

  Figure build() {
    const double room = options_.width - 2 * kMargin;
    const bool beside = room >= 2 * kLeastColumn + kBetween;
    figure_.width = std::max({options_.width, kLeastColumn + 2 * kMargin, title_width() + 2 * kMargin});
    const double all = figure_.width - 2 * kMargin;
    column_ = std::min(kWidestColumn, beside ? (all - kBetween) / 2 : all);
    const double content = beside ? 2 * column_ + kBetween : column_;
    const double left = (figure_.width - std::max(content, title_width())) / 2;
    if (options_.height > 0) leave_out_rows(beside);
    const double first = height_of(lists_[0]);
    const double second = height_of(lists_[1]);
    const double height = 2 * kMargin + kTitle + (beside ? std::max(first, second) : first + kBetween + second);
    figure_.height = std::max(options_.height, height);
    const double top = kMargin + (figure_.height - height) / 2;
    figure_.texts.push_back(title_mark("title", {left, top + 14}, title_text()));
    add(lists_[0], {left, top + kTitle});
    add(lists_[1],
        beside ? Point{left + column_ + kBetween, top + kTitle} : Point{left, top + kTitle + first + kBetween});
    return std::move(figure_);
  }

 private:
  struct List {
    std::string id;
    std::string title;
    std::string about;
    Result<WordList> words = WordList{};
  };

  [[nodiscard]] std::string title_text() const {
    return "Words of " + selected_attention(trace_, options_.values).title + ", head " + position_number(choice_.head);
  }
  [[nodiscard]] double title_width() const {
    return markup_width(title_text(), TypeSize::kTitle, FontWeight::semibold);
  }

  [[nodiscard]] std::string about(const List& list) const {
    return list.words ? list.about : list.words.error().message;
  }

  [[nodiscard]] double height_of(const List& list) const {
    const double head = kHeading + add_caption(nullptr, "", about(list), {}, column_) + kBetweenEnds;
    if (!list.words) return head;
    return head + kBetweenEnds + kRow * static_cast<double>(list.words->largest.size() + list.words->smallest.size());
  }

  /// Leaves as many rows as the page has room for, the extreme ones.
  void leave_out_rows(bool beside) {
    const double all = options_.height - 2 * kMargin - kTitle - (beside ? 0 : kBetween);
    for (List& list : lists_) {
      if (!list.words) continue;
      const auto rows = static_cast<double>(list.words->largest.size() + list.words->smallest.size());
      const double room = (beside ? all : all / 2) - (height_of(list) - kRow * rows);
      const auto most = static_cast<std::size_t>(std::max(kLeastRows, std::floor(room / kRow / 2)));
      for (auto* end : {&list.words->largest, &list.words->smallest}) end->resize(std::min(end->size(), most));
    }
  }

  void add(const List& list, Point at) {
    figure_.texts.push_back(title_mark(list.id + ".title", {at.x, at.y + 14}, list.title, TypeSize::kBody));
    at.y += kHeading;
    at.y += add_caption(&figure_, list.id + ".about", about(list), at, column_) + kBetweenEnds;
    if (!list.words) return;
    Range range;
    for (const auto* end : {&list.words->largest, &list.words->smallest}) {
      for (const WordValue& word : *end)
        range = {std::min(range.least, word.value), std::max(range.largest, word.value)};
    }
    for (const WordValue& word : list.words->largest) add_row(list.id, word, range, at);
    at.y += kBetweenEnds;
    // From the least extreme to the most extreme: the column is sorted from top to bottom.
    for (auto word = list.words->smallest.rbegin(); word != list.words->smallest.rend(); ++word)
      add_row(list.id + ".low", *word, range, at);
  }

  /// Of the values, with 0.
  struct Range {
    double least = 0;
    double largest = 0;
  };

  void add_row(const std::string& list, const WordValue& word, Range range, Point& at) {
    const std::string name = vocabulary_text(trace_.experiment().model->token_text(word.token), word.token);
    const std::string about = "“" + name + "”, token " + std::to_string(word.token) + ": " + number_text(word.value);
    add_value_row(figure_,
                  {list + "." + std::to_string(word.token), name, about, word.value, range.least, range.largest}, at,
                  column_, kMostName);
    at.y += kRow;
  }

  const Trace& trace_;
  const ViewOptions& options_;
  ScoreChoice choice_;
  List lists_[2];
  double column_ = 0;
  Figure figure_;
};

/// Null when it was stopped.
std::shared_ptr<const Words> words_of(const Trace& trace, const ScoreChoice& choice, const ViewOptions& options) {
  const auto make = [&]() -> std::shared_ptr<const Words> {
    auto words = std::make_shared<const Words>(Words{sought_words(trace, choice, kLargest, options.stop),
                                                     written_words(trace, choice, kLargest, options.stop)});
    return options.stop.stop_requested() ? nullptr : words;
  };
  if (options.cache == nullptr) return make();
  return options.cache->find_or_make<Words>(pair_source(trace, choice), make);
}

/// What the option `show` asks for; nothing: the lists of words.
std::optional<TokenMatrixKind> matrix_kind(const ParameterValues& options) {
  const auto& show = std::get<std::string>(options.find("show")->second);
  if (show == "query_key") return TokenMatrixKind::query_key;
  if (show == "output_value") return TokenMatrixKind::output_value;
  return std::nullopt;
}

Figure build(const Trace& trace, const ViewOptions& options) {
  const ScoreChoice choice = chosen_pair(trace, options.values);
  Figure figure;
  if (const std::optional<TokenMatrixKind> kind = matrix_kind(options.values)) {
    Result<Figure> made = token_matrix_figure(trace, choice, *kind, options);
    if (options.stop.stop_requested()) return {};
    figure = made ? std::move(*made) : reason_figure(made.error().message, options);
  } else {
    const std::shared_ptr<const Words> words = words_of(trace, choice, options);
    if (words == nullptr) return {};
    figure = WordsLayout(trace, options, choice, *words).build();
  }
  if (figure.only_says_why) return figure;
  figure.title = trace.experiment().model->name() + ": words of a head";
  return figure;
}

std::string missing(const Trace& trace) {
  const Experiment& experiment = trace.experiment();
  if (experiment.model == nullptr) return "This view is for trained models: it reads their vocabulary.";
  if (!experiment.picture.empty()) return "This model sees a picture: it has no vocabulary.";
  return no_attention(trace);
}

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  if (option == "show") return true;
  const std::optional<TokenMatrixKind> kind = matrix_kind(chosen);
  if (option == "query" && kind && !depends_on_query(trace, *kind)) return false;
  if (option == "key" && kind && !depends_on_key(trace, *kind)) return false;
  return option_limit(trace, option, chosen) > 1;
}

}  // namespace
}  // namespace words_view_parts

View words_view() {
  View view = {
      "words",
      "Words",
      "The tokens of the whole vocabulary that a query seeks, and whose logits attending to a key changes.",
      {layer_option(), head_option(), integer_parameter("query", "Query", "The query token.", 1, 1, 10),
       integer_parameter("key", "Key", "The key token.", 1, 1, 10),
       choice_parameter("show", "Show",
                        "The words of this query and key, or the head’s circuits over the whole vocabulary: which "
                        "token seeks which (QK), or which raises the logit of which (OV).",
                        {"pair", "query_key", "output_value"}, {"this pair", "all tokens, QK", "all tokens, OV"})},
      words_view_parts::applies,
      words_view_parts::build,
      words_view_parts::missing,
      layer_names};
  view.shows_pair = true;
  return view;
}

}  // namespace attnscope
