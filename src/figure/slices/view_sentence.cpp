#include "figure/slices/view_sentence.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "figure/slices/head_state.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/slices/sentence_parts.h"
#include "figure/slices/token_picture.h"
#include "figure/slices/weight_lines.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

/// What sentences are made of: the attention that the options choose, and its sizes.
class Sentence {
 public:
  Sentence(const Trace& trace, const ViewOptions& options, const Figure& figure)
      : trace_(trace),
        options_(options),
        figure_(figure),
        of_(selected_attention(trace, options.values)),
        slice_(selected_slice(trace, options.values)) {}

  [[nodiscard]] std::string flow() const {
    const bool single = is("stage", "single") && trace_.find("single.q") != nullptr;
    const bool has_last_line = !is_cross() && trace_.find((single ? "single." : of_.layer) + "out") != nullptr;
    return "Attention" + (single || head_count() < 2 ? "" : of_head()) +
           " computed step by step, from the input to the output" + about(true) + numbers_text(single) +
           ". Products stand to the right of one factor and below the other" +
           (has_last_line ? "; the output stands in one line with its factors" : "") + divisor_text(single) + ".";
  }

  [[nodiscard]] std::string qkv() const {
    const bool single = is("stage", "single") && trace_.find("single.q") != nullptr;
    return vectors_text() + " of " + (single ? "a single head" : heads_text()) + about(false) + numbers_text(single) +
           ": one row for each token.";
  }

  [[nodiscard]] std::string heads() const {
    if (layer_count(trace_) > 1) return heads_of_layers();
    const bool both = of_.has_cross && is("attention", "both");
    if (!both) return "Attention weights of " + heads_text() + about(true) + kRows + mask_text() + ".";
    return "Attention weights of " + heads_text() + ", self-attention and cross-attention, " + both_tokens_text() +
           kRows + mask_text() + ".";
  }

  [[nodiscard]] std::string head() const {
    const bool scores = is("of", "scores") && of_.weights != nullptr && !of_.weights->inputs.empty();
    return std::string(scores ? "Scores before the softmax" : "Attention weights") + of_head() + about(true) + kRows +
           mask_text() + ".";
  }

  [[nodiscard]] std::string lines() const {
    const bool all = is("heads", "all") && head_count() > 1;
    std::string text = "Attention weights" + (all ? " of " + heads_text() : of_head()) + about(true) +
                       " as lines from queries (left) to keys (right): the stronger a line, the larger "
                       "the weight";
    if (options_.integer("query") > 0) text += "; only those of query " + named("query");
    if (options_.real("mass") < 1) {
      text += "; each query shows the fewest keys that hold " + short_text(100 * options_.real("mass")) +
              " % of its attention";
      if (leaves_out_keys(trace_, options_.values)) text += ", as far as those are among the keys that are drawn";
    }
    return text + mask_text() + ".";
  }

  [[nodiscard]] std::string dot() const {
    return "One score" + of_head() + heading(true) + ": query " + named("query") + " times key " + named("key") +
           ", number by number; their products are summed" +
           (of_.weights == nullptr ? "" : made_of_sum_text(trace_, of_.weights->name)) + ".";
  }

  [[nodiscard]] std::string vectors() const {
    return vectors_text() + of_head() + heading(true) + " as arrows: query " + named("query") + " and key " +
           named("key") + " with their angle and dot product" +
           (has_values() ? ", and the weighted values that add up to the output." : ".");
  }

  [[nodiscard]] std::string image() const {
    const std::optional<TokenPicture> picture = token_picture(trace_);
    if (!picture) return "";
    return title() + ", for " + heads_text() + ": each map has " + grouped_text(picture->rows) + " × " +
           grouped_text(picture->columns) + (picture->of_patches() ? " patches" : " pixels") +
           " of the picture as keys.";
  }

  [[nodiscard]] std::string text() const {
    return title() + ". The colour of each token is " +
           (is("heads", "mean")      ? "the mean of its attention weights in all heads of the layer."
            : is("heads", "maximum") ? "the largest of its attention weights in the heads of the layer."
            : is("heads", "rollout") ? "what attention rollout finds for it."
                                     : "its attention weight.");
  }

  [[nodiscard]] std::string compare() const {
    const bool pinned = is("against", "pinned");
    const std::string of = is("of", "scores")   ? "scores before the softmax"
                           : is("of", "output") ? "outputs"
                                                : "attention weights";
    if (is("show", "heads")) {
      return "Every head compared with " + std::string(pinned ? "the same head of the baseline" : "one head") +
             ", by how far their attention weights differ.";
    }
    const std::string rows = is("of", "output") ? ": rows are queries" : kRows;
    std::string first = pinned ? "now" : "of the first head";
    std::string second = pinned ? "in the baseline" : "of the second head";
    const bool is_named = trace_.find(of_.layer + "weights") != nullptr && of_.has_heads;
    if (!pinned && is_named) {
      first = "of head " + number("head") + place_text("layer");
      second = "head " + number("other_head") + place_text("other_layer");
      if (is("show", "second")) second.insert(0, "of ");
    }
    const std::string one = is("show", "second") ? second : first;
    const bool shows_one = is("show", "first") || is("show", "second");
    const std::string what = capitalized(of) + " " +
                             (shows_one            ? one
                              : pinned || is_named ? first + " and " + second
                                                   : "of two heads");
    return what + tokens_text() + (is("show", "difference") ? ", the first minus the second" : "") + rows + ".";
  }

  [[nodiscard]] std::string metrics() const {
    if (is("of", "random")) return "Measures of every head on random tokens, repeated; one row for each head.";
    return "Measures of " +
           (is("layers", "all") ? "every head of all layers" + tokens_text() : heads_text() + about(true)) +
           ", one row for each head; values of uniform attention are given for comparison.";
  }

  [[nodiscard]] std::string scaling() const {
    return "The effect of dividing scores by √d: their variance and the entropy of the attention weights against the "
           "head dimension d, for " +
           grouped_text(options_.integer("samples")) + " random queries and " + grouped_text(options_.integer("keys")) +
           " random keys at each d.";
  }

  [[nodiscard]] std::string permutation() const {
    return "Permutation equivariance, f(PX) − P f(X)" + of_head() + about(true) +
           ": the output with the tokens in another order, beside the output put into that order.";
  }

  [[nodiscard]] std::string complexity() const {
    return "Cost of a layer of self-attention, sliding-window attention, convolution and recurrence as the sequence "
           "grows; marked is the length here, " +
           counted_text(option_limit(trace_, "key", {}), "token") + ".";
  }

  [[nodiscard]] std::string tensor() const { return "The tensor " + title() + ": every matrix of its last two axes."; }

  [[nodiscard]] std::string next() const {
    return title() + ": the most probable ones, and what each layer would say.";
  }

  [[nodiscard]] std::string contributions() const { return title() + ": every head, MLP and embedding."; }

  [[nodiscard]] std::string importance() const {
    return title() + ": the change of its log-probability with each head and MLP " +
           (is("with", "mean") ? "at its mean." : "off.");
  }

  [[nodiscard]] std::string patching() const { return title() + ": each head, MLP and position."; }

  [[nodiscard]] std::string words() const {
    if (!is("show", "pair")) return title() + ".";
    return title() + ": the tokens of the vocabulary that the query seeks, and those whose logits the key changes.";
  }

  /// What the heading of the figure says.
  [[nodiscard]] std::string titled() const { return title() + "."; }

 private:
  static constexpr const char* kRows = ": rows are queries, columns keys";

  [[nodiscard]] bool is(std::string_view option, std::string_view value) const {
    const auto found = options_.values.find(option);
    return found != options_.values.end() && std::get<std::string>(found->second) == value;
  }

  [[nodiscard]] Index axis_from_end(std::size_t from_end) const {
    if (of_.weights == nullptr || of_.weights->axes.size() < from_end) return 1;
    return of_.weights->axes[of_.weights->axes.size() - from_end].size;
  }
  [[nodiscard]] Index queries() const { return axis_from_end(2); }
  [[nodiscard]] Index keys() const { return axis_from_end(1); }
  [[nodiscard]] Index head_count() const {
    const Axis* const heads = of_.weights == nullptr ? nullptr : find_axis(of_.weights->axes, "head");
    return heads == nullptr ? 1 : heads->size;
  }

  [[nodiscard]] std::string heads_text() const {
    return head_count() == 1 ? "one head" : "all " + grouped_text(head_count()) + " heads";
  }
  /// Of all attentions, those of a model with two parts among them.
  [[nodiscard]] std::string heads_of_layers() const {
    const std::vector<LayerAttention> layers = layer_attentions(trace_);
    const bool with_self = !is("attention", "cross");
    const bool with_cross = !is("attention", "self");
    Index encoder = 0;
    Index decoder = 0;
    for (const LayerAttention& each : layers) {
      const Axes& axes = trace_.step(each.weights).axes;
      if (each.kind == AttentionKind::encoder) encoder = axes.back().size;
      if (each.kind == AttentionKind::decoder) decoder = axes.back().size;
    }
    const std::string first = "Attention weights of every head";
    if (encoder == 0 && decoder == 0) {
      const auto has_these_sizes = [&](const LayerAttention& each) {
        const Axes& axes = trace_.step(each.weights).axes;
        return axes[axes.size() - 2].size == queries() && axes.back().size == keys();
      };
      return first + " of " + counted_text(std::ssize(layers), "layer") +
             (std::ranges::all_of(layers, has_these_sizes) ? tokens_text() : "") + kRows + mask_text() + ".";
    }
    const char* const parts = !with_self    ? " of cross-attention for "
                              : !with_cross ? " of encoder and decoder for "
                                            : " of encoder, decoder and cross-attention for ";
    return first + parts + counted_text(encoder, "token") + " of the encoder" +
           quoted_model_text(trace_.experiment().text) + " and " + grouped_text(decoder) + " of the decoder" +
           quoted_model_text(trace_.experiment().text2) + kRows + ".";
  }

  /// " of head 2 of 4".
  [[nodiscard]] std::string of_head() const {
    if (!of_.has_heads) return "";
    std::string text = " of head " + grouped_text(slice_.head + 1) + " of " + grouped_text(head_count());
    const std::string state = head_state(trace_.experiment(), of_.weights->name, slice_.head);
    return state.empty() ? text : text + " (" + state + ")";
  }

  /// ", layer 2, cross-attention, item 1", as far as there are several.
  [[nodiscard]] std::string heading(bool with_item) const {
    std::string text = attention_text(trace_, of_, slice_.item);
    const std::string item = ", item " + std::to_string(slice_.item + 1);
    if (!with_item && text.ends_with(item)) text.resize(text.size() - item.size());
    return text;
  }

  /// ", cross-attention, from 4 queries to 6 keys"; " for 6 tokens" where there is only one attention.
  [[nodiscard]] std::string about(bool with_item) const {
    const std::string which = heading(with_item);
    return which + (which.empty() || of_.weights == nullptr ? "" : ",") + tokens_text();
  }

  /// " for 6 tokens", " from 4 queries to 6 keys".
  [[nodiscard]] static std::string for_tokens(Index queries, Index keys, bool cross) {
    if (!cross && queries == keys) return " for " + counted_text(queries, "token");
    return " from " + (queries == 1 ? "1 query" : grouped_text(queries) + " queries") + " to " +
           counted_text(keys, "key");
  }
  [[nodiscard]] std::string tokens_text() const {
    if (of_.weights == nullptr) return "";
    return for_tokens(queries(), keys(), is_cross()) + (is_cross() ? "" : read_text());
  }
  /// What the layer reads, of a model with a text.
  [[nodiscard]] std::string read_text() const {
    const Experiment& e = trace_.experiment();
    return quoted_model_text(of_.weights->name.starts_with("decoder.") ? e.text2 : e.text);
  }
  [[nodiscard]] std::string both_tokens_text() const {
    const Axes& cross = trace_.find("cross_weights")->axes;
    const Index others = cross[cross.size() - 2].size;
    return "for " + counted_text(queries(), "token") + " and " +
           (others == 1 ? "1 query" : grouped_text(others) + " queries") + " of a second sequence";
  }
  [[nodiscard]] bool is_cross() const {
    return of_.cross || (of_.weights != nullptr && of_.weights->name.ends_with("cross_weights"));
  }

  /// Tensors of a file need not have any.
  [[nodiscard]] bool has_values() const {
    return trace_.experiment().tensors == nullptr || trace_.find(of_.layer + "v") != nullptr;
  }
  [[nodiscard]] std::string vectors_text() const {
    return has_values() ? "Queries, keys and values" : "Queries and keys";
  }

  /// " with an embedding of 28 numbers and 4 heads of dimension 7", from the tensors that there are; `single`: of the one
  /// head that is computed before there are several.
  [[nodiscard]] std::string numbers_text(bool single) const {
    std::string text;
    const Step* const x = trace_.find("x");
    if (x != nullptr && x->axes.back().name == "feature")
      text = " with an embedding of " + counted_text(x->axes.back().size, "number");
    const Index dim = head_dimension(single);
    if (dim == 0 || !of_.has_heads) return text;
    return text + (text.empty() ? " with " : " and ") + counted_text(single ? 1 : head_count(), "head") +
           " of dimension " + grouped_text(dim);
  }

  /// Of the queries; 0 where that is not known.
  [[nodiscard]] Index head_dimension(bool single) const {
    const Step* const q = trace_.find(single ? "single.q" : of_.layer + "q");
    return q != nullptr && q->axes.back().name == "dim" ? q->axes.back().size : 0;
  }

  /// "; scores are divided by √7" where they are.
  [[nodiscard]] std::string divisor_text(bool single) const {
    const auto& values = trace_.experiment().parameters;
    const auto scale = values.find("scale");
    if (scale == values.end() || !std::holds_alternative<std::string>(scale->second)) return "";
    if (std::get<std::string>(scale->second) != "sqrt_head_dim") return "";
    const Index dim = head_dimension(single);
    return dim == 0 ? "" : "; the scores are divided by √" + grouped_text(dim);
  }

  [[nodiscard]] std::string mask_text() const { return is_cross() ? "" : hidden_keys_text(trace_.experiment()); }

  [[nodiscard]] std::string number(std::string_view option) const {
    return grouped_text(std::min(options_.integer(option), option_limit(trace_, option, options_.values)));
  }
  /// ", layer 2" of an option for a layer, where there are several.
  [[nodiscard]] std::string place_text(std::string_view option) const {
    const std::vector<LayerAttention> layers = layer_attentions(trace_);
    if (layers.size() < 2) return "";
    const Index layer = std::min(options_.integer(option), static_cast<Index>(std::ssize(layers)));
    return " (" + title_of(layers[static_cast<std::size_t>(layer - 1)]) + ")";
  }
  /// The token that an option counts: "“cat” (2)", or its number.
  [[nodiscard]] std::string named(std::string_view option) const {
    const Index position = std::min(options_.integer(option), option_limit(trace_, option, options_.values)) - 1;
    if (of_.weights == nullptr || of_.weights->axes.size() < 2) return position_number(position);
    const Axis& axis = of_.weights->axes[of_.weights->axes.size() - (option == "query" ? 2 : 1)];
    const std::vector<std::string> labels = axis_labels(trace_, of_.weights->name, axis, slice_.item);
    if (position >= std::ssize(labels)) return position_number(position);
    return "“" + labels[static_cast<std::size_t>(position)] + "” (" + position_number(position) + ")";
  }

  /// The heading of the figure without its colon or full stop, in one line.
  [[nodiscard]] std::string title() const {
    std::string text;
    for (const TextMark& mark : figure_.texts) {
      const bool first = mark.id == "title";
      if (!first && !mark.id.ends_with(".title.more") &&
          !(mark.id.size() > 6 && mark.id.ends_with(".title") &&
            std::isdigit(static_cast<unsigned char>(mark.id.front())) != 0))
        continue;
      if (!first && text.empty()) continue;
      text += (text.empty() ? "" : " ") + plain_text(mark.markup);
    }
    if (text.empty()) text = figure_.title;
    while (text.ends_with(':') || text.ends_with('.')) text.pop_back();
    return text;
  }

  const Trace& trace_;
  const ViewOptions& options_;
  const Figure& figure_;
  SelectedAttention of_;
  Slice slice_;
};

struct NamedSentence {
  std::string_view view;
  std::string (Sentence::*make)() const;
};

constexpr std::array kSentences = {
    NamedSentence{"flow", &Sentence::flow},
    NamedSentence{"qkv", &Sentence::qkv},
    NamedSentence{"heads", &Sentence::heads},
    NamedSentence{"head", &Sentence::head},
    NamedSentence{"lines", &Sentence::lines},
    NamedSentence{"dot", &Sentence::dot},
    NamedSentence{"vectors", &Sentence::vectors},
    NamedSentence{"image", &Sentence::image},
    NamedSentence{"text", &Sentence::text},
    NamedSentence{"next", &Sentence::next},
    NamedSentence{"contributions", &Sentence::contributions},
    NamedSentence{"words", &Sentence::words},
    NamedSentence{"importance", &Sentence::importance},
    NamedSentence{"patching", &Sentence::patching},
    NamedSentence{"compare", &Sentence::compare},
    NamedSentence{"metrics", &Sentence::metrics},
    NamedSentence{"scaling", &Sentence::scaling},
    NamedSentence{"permutation", &Sentence::permutation},
    NamedSentence{"complexity", &Sentence::complexity},
    NamedSentence{"tensor", &Sentence::tensor},
};

}  // namespace

std::string view_sentence(std::string_view view, const Trace& trace, const ViewOptions& options, const Figure& figure) {
  const Sentence sentence(trace, options, figure);
  const auto* const found = std::ranges::find(kSentences, view, &NamedSentence::view);
  return found == kSentences.end() ? sentence.titled() : (sentence.*found->make)();
}

}  // namespace attnscope
