#include "figure/slices/attention_formula.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/operations/contract.h"
#include "core/operations/dropout.h"
#include "core/operations/mask.h"
#include "core/operations/normalize.h"
#include "core/operations/positions.h"
#include "core/operations/rearrange.h"
#include "core/operations/rotary.h"
#include "core/operations/softmax.h"
#include "figure/slices/attention_parts.h"
#include "figure/slices/matrix_facts.h"

namespace attnscope {
namespace {

/// Puts the equation together, piece by piece from left to right.
class FormulaWriter {
 public:
  FormulaWriter(const Trace& trace, const Step& weights) : trace_(trace), parts_(attention_parts(trace, weights)) {}

  AttentionFormula write() {
    write_left_side();
    if (parts_.dropped != nullptr) {
      put(add("dropout", "dropout", {parts_.dropped}));
      put("(");
    }
    put(add("softmax", "softmax", {parts_.weights}));
    put("(");
    write_argument();
    put(parts_.dropped != nullptr ? "))" : ")");
    if (parts_.values != nullptr) write_values();
    if (parts_.output != nullptr) write_output();
    write_notes();
    return std::move(formula_);
  }

 private:
  [[nodiscard]] const Step& input(const Step& step, std::size_t i) const { return input_of(trace_, step, i); }
  [[nodiscard]] std::vector<const Step*> chain(const Step& operand) const { return chain_of(trace_, operand); }
  [[nodiscard]] double temperature() const { return as<SoftmaxOperation>(parts_.weights->operation)->temperature; }
  [[nodiscard]] bool is_tempered() const { return temperature() != 1; }

  int add(std::string id, std::string markup, const std::vector<const Step*>& steps, const std::string& about = "") {
    FormulaSymbol symbol = {std::move(id), std::move(markup), {}, matrix_facts(trace_, *steps.front(), about), ""};
    for (const Step* step : steps) {
      if (step != nullptr) symbol.tensors.push_back(step->name);
    }
    formula_.symbols.push_back(std::move(symbol));
    return static_cast<int>(formula_.symbols.size()) - 1;
  }
  void put(std::string markup) { pieces().push_back({std::move(markup), -1}); }
  void put(int symbol) { pieces().push_back({formula_.symbols[static_cast<std::size_t>(symbol)].markup, symbol}); }
  [[nodiscard]] std::vector<FormulaPiece>& pieces() { return in_output_ ? formula_.output : formula_.attention; }

  /// What is called so in figures: the queries of a second sequence beside the first one's have another letter.
  [[nodiscard]] std::string letter(const Step& projected, const std::string& usual) const {
    const bool second = last_name(projected) == "cross_q" && usual == "Q" && last_name(*parts_.keys) == "k";
    return second ? "Q_{2}" : usual;
  }

  void write_left_side() {
    if (parts_.heads.empty()) return put("weights = ");
    put(add("Attention", "Attention", {parts_.heads.front()}));
    if (parts_.queries != nullptr) put("(" + letter(*chain(*parts_.queries).back(), "Q") + ", K, V)");
    put(" = ");
  }

  void write_argument() {
    const bool is_sum = parts_.biased != nullptr || parts_.masked != nullptr;
    if (is_tempered() && is_sum) put("(");
    write_scores(is_tempered() && !is_sum);
    if (parts_.biased != nullptr) write_bias();
    if (parts_.masked != nullptr) {
      const double fill = as<MaskOperation>(parts_.masked->operation)->fill;
      put(" + ");
      put(add("M", "M", {parts_.masked}, "mask: the scores of masked pairs become " + short_text(fill)));
    }
    if (!is_tempered() || !is_sum) return;
    put(") / ");
    put_temperature();
  }

  void put_temperature() {
    put(add("T", "T", {parts_.weights},
            "temperature T = " + short_text(temperature()) + ": scores are divided by it before the softmax"));
  }

  void write_bias() {
    put(" + ");
    if (is<DistanceBiasOperation>(parts_.biased->operation)) {
      put(add("ALiBi", "ALiBi", {parts_.biased},
              "ALiBi: the further a key, the lower its score; each head has its slope"));
    } else {
      put(add("B", "B", {&input(*parts_.biased, 1), parts_.biased}));
    }
  }

  /// `tempered`: divided by the temperature.
  void write_scores(bool tempered) {
    const std::size_t first = formula_.symbols.size();
    std::string divisor;
    if (parts_.queries == nullptr) {
      put(add("scores", "scores", {parts_.scores}));
    } else if (parts_.additive != nullptr) {
      write_additive();
    } else {
      const bool rows = positions_are_rows(*parts_.queries);
      write_operand(*parts_.queries, "Q", !rows);
      if (chain(*parts_.queries).size() > 1 || chain(*parts_.keys).size() > 1) put(" ");
      write_operand(*parts_.keys, "K", rows);
      divisor = as<ContractOperation>(parts_.scores->operation)->divisor_text;
    }
    const bool both = tempered && !divisor.empty();
    if (tempered || !divisor.empty()) put(both ? " / (" : " / ");
    if (!divisor.empty()) put_divisor(*parts_.scores, divisor);
    for (std::size_t i = first; i < formula_.symbols.size(); ++i) formula_.symbols[i].product = parts_.scores->name;
    if (both) put(" ");
    if (tempered) put_temperature();
    if (both) put(")");
  }

  /// "RoPE(Q)", transposed where that is asked for.
  void write_operand(const Step& operand, const std::string& usual, bool transposed) {
    const std::vector<const Step*> made = chain(operand);
    const std::string name = letter(*made.back(), usual);
    std::vector<const Step*> its = {made.back()};
    std::string closing;
    const Step* scaled = nullptr;
    for (const Step* step : made) {
      if (is<RotateOperation>(step->operation) || is<RotaryOperation>(step->operation)) {
        put(add("RoPE(" + name + ")", "RoPE", {step}));
        put("(");
        closing += ")";
      } else if (is_called(*step, "rms_norm")) {
        put(add("norm(" + name + ")", "norm", {step}));
        put("(");
        closing += ")";
      } else if (is<ScaleOperation>(step->operation)) {
        scaled = step;
        put("(");
      } else if (step != made.back()) {
        its.push_back(step);
      }
    }
    put(add(name, name, its));
    if (scaled != nullptr) {
      put(" / ");
      put_divisor(*scaled, as<ScaleOperation>(scaled->operation)->divisor_text);
      closing += ")";
    }
    if (transposed) closing += "^{T}";
    if (!closing.empty()) put(closing);
  }

  /// "√d_{k}".
  void put_divisor(const Step& step, const std::string& text) {
    const Axis* const dim = find_axis(parts_.queries->axes, "dim");
    const bool is_root = dim != nullptr && text == "√" + std::to_string(dim->size);
    const std::string about = is_root ? "√d_k = " + text + ": keeps scores from growing with the head dimension"
                                      : "scores are divided by " + text;
    put(add("divisor", is_root ? "√d_{k}" : text, {&step}, about));
    if (is_root) add_note("d_{k} = " + std::to_string(dim->size));
  }

  void write_additive() {
    put(add("a", "a", {&input(*parts_.scores, 1)}));
    put(" · ");
    put(add("tanh", "tanh", {parts_.additive}));
    put("(");
    write_operand(*parts_.queries, "Q", false);
    put(add("A_{Q}", "A_{Q}^{T}", {&input(input(*parts_.additive, 0), 1), &input(*parts_.additive, 0)}));
    put(" + ");
    write_operand(*parts_.keys, "K", false);
    put(add("A_{K}", "A_{K}^{T}", {&input(input(*parts_.additive, 1), 1), &input(*parts_.additive, 1)}));
    put(")");
  }

  void write_values() {
    put(" ");
    std::vector<const Step*> its = chain(*parts_.values);
    std::ranges::reverse(its);
    put(add("V", "V", its));
    if (!positions_are_rows(*parts_.values)) put("^{T}");
  }

  /// "output = Concat(head_{1} … head_{4}) W_{O}^{T} + b_{O}".
  void write_output() {
    const Step& product = *parts_.output;
    in_output_ = true;
    put(add("output", "output", {&product}));
    put(" = ");
    const bool pixels = product.axes.back().name == "column";
    if (pixels) write_output_weight(product);
    write_heads();
    if (!pixels) write_output_weight(product);
    if (product.inputs.size() > 2) {
      put(" + ");
      put(add("b_{O}", "b_{O}", {&input(product, 2)}));
    }
    in_output_ = false;
  }

  void write_output_weight(const Step& product) {
    const bool pixels = product.axes.back().name == "column";
    std::vector<const Step*> weights = {&input(product, 1)};
    if (is<RearrangeOperation>(weights.front()->operation)) weights.push_back(&input(*weights.front(), 0));
    if (!pixels) put(" ");
    put(add("W_{O}", !pixels && is_stored_transposed(product) ? "W_{O}^{T}" : "W_{O}", weights));
    if (pixels) put(" ");
  }

  void write_heads() {
    if (parts_.merged == nullptr) return put(add("head", "head", parts_.heads));
    const Axis* const axis = find_axis(parts_.heads.front()->axes, "head");
    put(add("Concat", "Concat", {parts_.merged}));
    put("(");
    put(add("head", head_names(axis != nullptr ? axis->size : 1), parts_.heads));
    put(")");
  }

  void write_notes() {
    if (is_tempered()) add_note("T = " + short_text(temperature()));
    if (parts_.dropped != nullptr)
      add_note("dropout p = " + short_text(as<DropoutOperation>(parts_.dropped->operation)->probability));
    note_switched_off();
    note_self_attention_alone();
    if (parts_.queries == nullptr) return;
    note_shared_heads();
    if (parts_.values != nullptr) note_origins();
  }

  void note_switched_off() {
    if (parts_.heads.empty()) return;
    const auto* keep = as<KeepHeadsOperation>(parts_.heads.back()->operation);
    if (keep == nullptr || keep->off.empty()) return;
    std::vector<std::string> numbers;
    for (const Index head : keep->off) numbers.push_back(std::to_string(head + 1));
    add_note((numbers.size() == 1 ? "head " : "heads ") + join(numbers, ", ") +
             (numbers.size() == 1 ? " is off" : " are off"));
  }

  /// Of a system whose mask and positions are for its self-attention alone.
  void note_self_attention_alone() {
    if (last_name(*parts_.weights) != "cross_weights" || trace_.experiment().model != nullptr) return;
    std::vector<std::string> without;
    if (trace_.experiment().mask().kind != Mask::Kind::none && parts_.masked == nullptr) without.emplace_back("mask");
    const auto positions = trace_.experiment().parameters.find("positions");
    if (positions != trace_.experiment().parameters.end()) {
      const auto& kind = std::get<std::string>(positions->second);
      if (kind == "rotary" || kind == "alibi") without.emplace_back(kind == "rotary" ? "RoPE" : "ALiBi");
    }
    if (!without.empty()) add_note("no " + join(without, ", no ") + " in cross-attention");
  }

  void note_shared_heads() {
    for (const Step* step : chain(*parts_.keys)) {
      if (!is_called(*step, "repeat_heads")) continue;
      const Index shared = input(*step, 0).axes.front().size;
      add_note(std::to_string(shared) + (shared == 1 ? " head" : " heads") + " of K and V for " +
               std::to_string(step->axes.front().size) + " of Q");
    }
  }

  /// Says where queries, keys and values come from unless that is one sequence.
  void note_origins() {
    const Step* const q = origin_of(trace_, *parts_.queries);
    const Step* const k = origin_of(trace_, *parts_.keys);
    const Step* const v = origin_of(trace_, *parts_.values);
    if (q == nullptr || k == nullptr || v == nullptr || (q == k && k == v)) return;
    if (k == v && k->name.starts_with("encoder.")) return add_note("K and V from the encoder");
    const std::string name = letter(*chain(*parts_.queries).back(), "Q");
    if (k == v) return add_note(name + " from " + symbol(q->name) + ", K and V from " + symbol(k->name));
    add_note(name + " from " + symbol(q->name) + ", K from " + symbol(k->name) + ", V from " + symbol(v->name));
  }

  void add_note(const std::string& note) { formula_.notes += (formula_.notes.empty() ? "" : ", ") + note; }

  const Trace& trace_;
  AttentionParts parts_;
  bool in_output_ = false;
  AttentionFormula formula_;
};

}  // namespace

bool FormulaSymbol::stands_for(std::string_view tensor) const {
  return std::ranges::find(tensors, tensor) != tensors.end();
}

std::optional<AttentionFormula> attention_formula(const Trace& trace, const SelectedAttention& shown) {
  if (shown.weights == nullptr || !is<SoftmaxOperation>(shown.weights->operation)) return std::nullopt;
  return FormulaWriter(trace, *shown.weights).write();
}

std::string head_names(Index count) {
  std::string last = "head_{" + std::to_string(count) + "}";
  if (count == 1) return last;
  return count == 2 ? "head_{1}, " + last : "head_{1} … " + last;
}

std::string formula_markup(const std::vector<FormulaPiece>& pieces) {
  std::string markup;
  for (const FormulaPiece& piece : pieces) markup += piece.markup;
  return markup;
}

}  // namespace attnscope
