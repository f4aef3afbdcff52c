// The whole computation as matrices, from X to the output. The tensors of the trace and their operations decide what is
// shown.
#include <algorithm>
#include <array>
#include <utility>

#include "core/operations/contract.h"
#include "core/operations/normalize.h"
#include "figure/blocks/aligned_products.h"
#include "figure/blocks/kept_products.h"
#include "figure/blocks/played_matrices.h"
#include "figure/slices/attention_formula.h"
#include "figure/slices/attention_parts.h"
#include "figure/slices/head_state.h"
#include "figure/slices/matrix.h"
#include "figure/slices/moments.h"
#include "figure/slices/selected.h"
#include "figure/views/view.h"

namespace attnscope {
namespace flow_view_parts {
namespace {

/// Prefixes of the tensors in the figure, for the stage and for cross-attention.
struct FlowNames {
  std::string stage;  ///< "single.", "layer2." or nothing
  std::string cross;  ///< "cross_" or nothing
};

class FlowAlignedProducts {
 public:
  FlowAlignedProducts(const Trace& trace, Slice slice, FlowNames names)
      : trace_(trace), slice_(slice), names_(std::move(names)) {}

  /// The figure of those that show the tensors of the options; of all, where there are none.
  [[nodiscard]] Figure build(const ViewOptions& options) const {
    std::vector<AlignedProduct> products;
    if (has("tokens")) products.push_back(prepare());
    if (has("positioned_x")) products.push_back(add_positions());
    if (std::optional<AlignedProduct> product = project()) products.push_back(std::move(*product));
    if (names_.cross.empty() && has(names_.stage + "rotated_q")) products.push_back(turn());
    if (has("additive")) products.push_back(additive());
    products.push_back(attend());
    if (names_.cross.empty() && has(names_.stage + "out")) {
      products.push_back(merge());
      if (has("projected_image")) products.push_back(add_to_picture());
    }
    const bool is_part = keep_products_with(options.tensors, trace_, products);
    if (products.size() == 1 && products.front().id == "merge" && is_better_upright(products.front(), options)) {
      products = {merge(true)};
      keep_products_with(options.tensors, trace_, products);
    }
    blend_in_colors_of_values(products);
    Figure figure = aligned_products_figure(std::move(products), options);
    figure.is_part = is_part;
    return figure;
  }

 private:
  [[nodiscard]] bool has(const std::string& name) const { return trace_.find(name) != nullptr; }
  [[nodiscard]] const Step& step(int number) const { return trace_.step(number); }

  /// `id` distinguishes two marks of the same matrix.
  [[nodiscard]] std::optional<Block> block(const std::string& name, const std::string& formula = "",
                                           bool transposed = false, const std::string& id = "") const {
    std::optional<HeatmapMark> mark = matrix_mark(trace_, name, slice_, transposed);
    if (!mark) return std::nullopt;
    mark->id = id + mark->id;
    std::string text = symbol(name);
    if (transposed) text += "^{T}";
    return Block{std::move(*mark), std::move(text), formula, ""};
  }

  [[nodiscard]] std::optional<Block> with_row_labels(std::optional<Block> block) const {
    if (block) block->mark.row_labels = row_labels(trace_, block->mark);
    return block;
  }
  [[nodiscard]] std::optional<Block> with_column_labels(std::optional<Block> block) const {
    if (block) block->mark.column_labels = column_labels(trace_, block->mark);
    return block;
  }

  static Column alone(std::optional<Block> block, const std::string& sign = "", const std::string& arrow = "") {
    return {std::nullopt, std::move(block), sign, arrow, false};
  }
  static Column product(std::optional<Block> right, std::optional<Block> product, const std::string& sign = "×") {
    return {std::move(right), std::move(product), sign, "", true};
  }

  /// "= X W_{Q}^{T} + b_{Q}": the product of an operation.
  [[nodiscard]] std::string product_formula(const Step& made, const std::string& right) const {
    std::string left = symbol(step(made.inputs[0]).name);
    if (left.find('+') != std::string::npos) left = "(" + left + ")";
    std::string text = "= " + left + " " + right;
    if (made.inputs.size() > 2) text += " + " + symbol(step(made.inputs[2]).name);
    return text;
  }

  /// A projection: the weight above the product.
  [[nodiscard]] Column projection(const std::string& name, const std::string& sign) const {
    const Step& made = *trace_.find(name);
    const std::string& weight = step(made.inputs[1]).name;
    const bool layer = is_stored_transposed(made);
    return product(block(weight, "", layer), block(name, product_formula(made, symbol(weight) + (layer ? "^{T}" : ""))),
                   sign);
  }

  /// Pixels as tokens, in pictures of channels × pixels.
  [[nodiscard]] AlignedProduct prepare() const {
    AlignedProduct row = {"prepare", "", {}, true};
    row.columns.push_back(alone(block("x")));
    if (has("normed")) row.columns.push_back(alone(block("normed"), "", "norm"));
    return row;
  }

  /// The positional encoding, added to the tokens.
  [[nodiscard]] AlignedProduct add_positions() const {
    AlignedProduct row = {"positions", "", {}, true};
    row.columns = {alone(with_row_labels(block("x"))), alone(block("positions"), "+"),
                   alone(block("positioned_x", "", false, "positions."), "=")};
    return row;
  }

  [[nodiscard]] std::optional<AlignedProduct> project() const {
    const std::string& s = names_.stage;
    AlignedProduct row = {"project", "project", {}, false};
    if (!names_.cross.empty()) {
      row.columns = {alone(with_row_labels(block("x2"))), projection(s + "cross_q", "×"),
                     alone(with_row_labels(block(step(trace_.find(s + "k")->inputs[0]).name))),
                     projection(s + "k", "×"), projection(s + "v", "")};
    } else if (has("projected_q")) {
      add_three_projections(row);
    } else if (has("qkv")) {
      add_stacked_projection(row);
    } else if (is<ContractOperation>(trace_.find(s + "q")->operation)) {
      const std::string& input = step(trace_.find(s + "q")->inputs[0]).name;
      row.columns = {alone(with_row_labels(block(input, input == "tokens" ? "= normalized X^{T}" : ""))),
                     projection(s + "q", "×"), projection(s + "k", ""), projection(s + "v", "")};
    } else {
      return std::nullopt;
    }
    return row;
  }

  /// Queries, keys and values from an input each, or from a shared one.
  void add_three_projections(AlignedProduct& row) const {
    const bool shared = !has("x_k") || !trace_.find("x_k")->inputs.empty();
    for (const char* letter : {"q", "k", "v"}) {
      const bool with_input = letter[0] == 'q' || !shared;
      if (with_input) row.columns.push_back(alone(with_row_labels(block(std::string("x_") + letter))));
      row.columns.push_back(projection(std::string("projected_") + letter, with_input ? "×" : ""));
    }
    row.own_cells = true;
  }

  void add_stacked_projection(AlignedProduct& row) const {
    const Step& made = *trace_.find("qkv");
    const std::string& input = step(made.inputs[0]).name;
    if (input == "x" && !is_stored_transposed(made)) {
      // A convolution: the weight is left of channels × pixels.
      row.columns.push_back(alone(block("w_qkv")));
      row.columns.push_back(product(block("x"), block("qkv", "= W_{QKV} X")));
      row.own_cells = true;
      return;
    }
    const std::string source = has("normed") ? "= normalized X^{T}" : "= X^{T}";
    row.columns.push_back(alone(with_row_labels(block(input, input == "tokens" ? source : ""))));
    row.columns.push_back(projection("qkv", "×"));
    std::string arrow = head_count(trace_) > 1 ? "head " + std::to_string(slice_.head + 1) : "split";
    for (const char* name : {"q", "k", "v"}) {
      row.columns.push_back(alone(block(name), "", arrow));
      arrow.clear();
    }
    row.own_cells = true;
  }

  /// Queries and keys, rotated by their positions.
  [[nodiscard]] AlignedProduct turn() const {
    AlignedProduct row = {"turn", "rotate", {}, true};
    for (const char* letter : {"q", "k"}) {
      row.columns.push_back(alone(with_row_labels(block(names_.stage + letter, "", false, "turn."))));
      row.columns.push_back(alone(block(names_.stage + "rotated_" + letter, "", false, "turn."), "", "RoPE"));
    }
    return row;
  }

  /// The two halves of additive attention's hidden layer.
  [[nodiscard]] AlignedProduct additive() const {
    AlignedProduct row = {"additive", "score", {}, false};
    const std::string turned = has("rotated_q") ? "rotated_" : "";
    row.columns.push_back(alone(with_row_labels(block(turned + "q", "", false, "additive."))));
    row.columns.push_back(product(block("w_a_q", "", true), block("additive_q", "= Q A_{Q}^{T}")));
    row.columns.push_back(alone(with_row_labels(block(turned + "k", "", false, "additive."))));
    row.columns.push_back(product(block("w_a_k", "", true), block("additive_k", "= K A_{K}^{T}")));
    row.columns.push_back(alone(block("w_a_v")));
    return row;
  }

  [[nodiscard]] std::string scores_formula(const Step& scores, const std::string& q, const std::string& k) const {
    if (has("additive")) return "= scores";
    std::string formula = "= " + q + " " + k;
    if (const auto* contract = as<ContractOperation>(scores.operation);
        contract != nullptr && !contract->divisor_text.empty()) {
      formula += " / " + contract->divisor_text;
    }
    return formula;
  }

  [[nodiscard]] AlignedProduct attend() const {
    const std::string prefix = names_.stage + names_.cross;
    const bool network = has("additive");
    const bool turned = names_.cross.empty() && has(names_.stage + "rotated_q");
    const std::string q = network ? "additive_q" : prefix + (turned ? "rotated_q" : "q");
    const std::string k = network ? "additive_k" : names_.stage + (turned ? "rotated_k" : "k");
    const std::string v = names_.stage + "v";
    const bool rows = positions_are_rows(*trace_.find(q));
    AlignedProduct row = {"attend", "attend", {}, false};
    std::optional<Block> left = with_row_labels(block(q, "", !rows, "attend."));
    std::string factor = left->symbol;
    row.columns.push_back(alone(std::move(left)));
    if (const Step* scaled = trace_.find("scaled_q")) {
      factor += " / " + as<ScaleOperation>(scaled->operation)->divisor_text;
      row.columns.push_back(alone(block("scaled_q", "", true), "", "scale"));
    }
    std::optional<Block> right = with_column_labels(block(k, "", rows, "attend."));
    const std::string formula = scores_formula(*trace_.find(prefix + "scores"), factor, right->symbol);
    std::optional<Block> scores = block(prefix + "scores", formula);
    if (network) scores->symbol = "a · tanh(Q′ + K′)";
    row.columns.push_back(product(std::move(right), std::move(scores), network ? "+" : "×"));
    if (auto biased = block(prefix + "biased_scores"))
      row.columns.push_back(alone(with_column_labels(std::move(biased)), "", "+ ALiBi"));
    if (auto masked = block(prefix + "masked_scores"))
      row.columns.push_back(alone(with_column_labels(std::move(masked)), "", "mask"));
    row.columns.push_back(alone(with_column_labels(block(prefix + "weights")), "", "softmax"));
    if (auto dropped = block(prefix + "dropped_weights"))
      row.columns.push_back(alone(with_column_labels(std::move(dropped)), "", "dropout"));
    // A file may have queries and keys without values.
    if (!has(v)) return row;
    std::optional<Block> values = block(v, "", !positions_are_rows(*trace_.find(v)), "attend.");
    const std::string sum = "= weights " + values->symbol;
    row.columns.push_back(product(std::move(values), outputs(prefix, sum)));
    return row;
  }

  /// The outputs of the head, which are replaced in Concat where it is switched off.
  [[nodiscard]] std::optional<Block> outputs(const std::string& prefix, const std::string& formula) const {
    std::optional<Block> made = block(prefix + "head_outputs", formula);
    if (!made || names_.stage == "single.") return made;
    made->symbol = with_head_state(std::move(made->symbol), trace_.experiment(), prefix + "weights", slice_.head);
    return made;
  }

  [[nodiscard]] const Step& output_layer() const {
    return *trace_.find(has("projected") ? "projected" : names_.stage + "out");
  }
  /// Whether a tensor is a picture: its columns are pixels, and a weight stands left of it.
  static bool shows_pixels(const Step& step) { return step.axes.back().name == "column"; }

  /// Whether the output layer, alone in a window, has larger cells with W_O above the output than with W_Oᵀ beside it.
  [[nodiscard]] bool is_better_upright(const AlignedProduct& merged, const ViewOptions& options) const {
    if (options.tensors.empty() || merged.columns.size() < 3 || shows_pixels(output_layer())) return false;
    const HeatmapMark& left = merged.columns.front().bottom->mark;
    const auto in = static_cast<double>(left.columns());
    const auto rows = static_cast<double>(left.rows());
    const auto out = static_cast<double>(merged.columns[2].bottom->mark.columns());
    const double beside = std::min(options.width / (2 * in + out), options.height / std::max(rows, out));
    const double above = std::min(options.width / (in + out), options.height / (in + rows));
    return above > beside;
  }

  /// The output layer: Concat × (W_Oᵀ)ᵀ. The transpose [out, in] is shown because [in, out] would be as high as all heads
  /// are wide. `upright`: [in, out] above the output all the same.
  [[nodiscard]] AlignedProduct merge(bool upright = false) const {
    AlignedProduct row = {"merge", "", {}, true};
    const Step& made = output_layer();
    const std::string& result = made.name;
    const std::string& weight = step(made.inputs[1]).name;
    const std::string& heads = step(made.inputs[0]).name;
    const bool pixels = shows_pixels(made);
    const bool layer = is_stored_transposed(made);
    const std::string left_name = heads == names_.stage + "merged" ? "heads" : symbol(heads);
    const std::string factor = symbol(weight) + (layer ? "^{T}" : "");
    std::string formula = pixels ? "= " + symbol(weight) + " " + left_name : "= " + left_name + " " + factor;
    if (made.inputs.size() > 2) formula += " + " + symbol(step(made.inputs[2]).name);
    std::optional<Block> left = with_row_labels(block(heads, "", false, "merge."));
    if (left && left_name == "heads") {
      left->symbol = "Concat(" + head_names(head_count(trace_)) + ")";
      left->brief = "Concat";
    }
    if (left) left->mark.row_labels.show(Labels::Shown::all_or_none);  // the other products have them, in larger cells
    std::optional<Block> right = block(weight, "", upright ? layer : !layer && !pixels);
    if (left && right && left_name == "heads") {
      (pixels ? left->row_groups : left->column_groups) = head_count(trace_);
      (upright ? right->row_groups : right->column_groups) = head_count(trace_);
    }
    std::optional<Block> output = block(result, formula);
    if (upright) {
      row.columns = {alone(left), product(right, std::move(output))};
    } else {
      row.columns = {alone(pixels ? right : left), alone(pixels ? left : right, pixels ? "×" : "× ("),
                     alone(std::move(output), pixels ? "=" : ")^{T} =")};
    }
    if (result == "projected" && !has("projected_image")) {
      row.columns.push_back(alone(block("tokens", "", false, "merge."), "+"));
      row.columns.push_back(alone(block("out", "= projected + tokens"), "="));
    }
    if (has("mean_weights")) row.columns.push_back(alone(block("mean_weights", "over all heads")));
    return row;
  }

  /// Gives the outputs of the head and its values one scale, so that half a value looks like half of it.
  void blend_in_colors_of_values(std::vector<AlignedProduct>& products) const {
    const Step* const values = trace_.find(names_.stage + "v");
    const Step* const outputs = trace_.find(names_.stage + names_.cross + "head_outputs");
    if (values == nullptr || outputs == nullptr) return;
    std::vector<Block*> shared;
    for (AlignedProduct& product : products) {
      for (Column& column : product.columns) {
        for (std::optional<Block>* const block : {&column.top, &column.bottom}) {
          const Step* const shown = *block ? &step((*block)->mark.step) : nullptr;
          if (shown != nullptr && (shown == values || shown == outputs)) shared.push_back(&**block);
        }
      }
    }
    if (shared.empty()) return;
    ColorScale scale = shared.front()->mark.scale;
    for (const Block* const each : shared) scale = joint_scale(scale, each->mark.scale);
    for (Block* const each : shared) {
      each->mark.scale = scale;
      if (&step(each->mark.step) == outputs) each->scale_of = symbol(values->name);
    }
  }

  [[nodiscard]] AlignedProduct add_to_picture() const {
    AlignedProduct row = {"add", "", {}, true};
    row.columns = {alone(block("projected_image", "= projected^{T}")), alone(block("x", "", false, "add."), "+"),
                   alone(block("out", "= X + projected^{T}"), "=")};
    return row;
  }

  const Trace& trace_;
  Slice slice_;
  FlowNames names_;
};

Index moments(const Trace& trace, const ParameterValues& chosen) {
  const SelectedAttention shown = shown_attention(trace, chosen);
  return shown.weights == nullptr ? 0 : std::ssize(moments_of(trace, *shown.weights, false));
}

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  if (option == "stage") return has_stages(trace);
  if (option == "moment") return moments(trace, chosen) > 0;
  if (option == "query") return chosen_moment(chosen) > 0 && leaves_choice(trace, option);
  if (option == "head" && has_stages(trace) && std::get<std::string>(chosen.find("stage")->second) == "single")
    return false;
  return leaves_choice(trace, option);
}

Figure build(const Trace& trace, const ViewOptions& options) {
  const SelectedAttention chosen = shown_attention(trace, options.values);
  const FlowNames names = {chosen.layer, chosen.cross ? "cross_" : ""};
  const Index moment = chosen_moment(options.values);
  const std::optional<PlayedQuery> played = moment > 0 ? played_query(trace, options) : std::nullopt;
  ViewOptions of_matrices = options;
  if (played && options.height > 0)
    of_matrices.height = std::max(1.0, options.height - moment_height(trace, *played, options.width));
  Figure figure = FlowAlignedProducts(trace, selected_slice(trace, options.values), names).build(of_matrices);
  figure.title = trace.experiment().system + ": from X to the output";
  if (played) show_moment(figure, trace, *played, moment);
  return figure;
}

std::string missing(const Trace& trace) {
  if (trace.experiment().model != nullptr)
    return no_model("it draws one attention layer, and a model has many more steps");
  return trace.find("q") != nullptr ? "" : "The file has no queries and keys for these weights.";
}

}  // namespace
}  // namespace flow_view_parts

View flow_view() {
  View view = {"flow",
               "Flow",
               "All steps as matrices, aligned as in matrix products.",
               {layer_option(), head_option(), item_option(), stage_option(), attention_option(), query_option(),
                moment_option()},
               flow_view_parts::applies,
               flow_view_parts::build,
               flow_view_parts::missing};
  view.moments = flow_view_parts::moments;
  return view;
}

}  // namespace attnscope
