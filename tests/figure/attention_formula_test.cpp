// The equation of what an experiment computes, and of nothing else.
#include "figure/slices/attention_formula.h"

#include <set>

#include "figure/slices/matrix_facts.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

/// The parts of the equation, a line each.
std::string equation_of(const Trace& trace, const ParameterValues& options = {}) {
  const std::optional<AttentionFormula> formula = attention_formula(trace, shown_attention(trace, options));
  if (!formula) return "none";
  std::string text = formula_markup(formula->attention);
  for (const std::string& more : {formula_markup(formula->output), formula->notes}) {
    if (!more.empty()) text += "\n" + more;
  }
  return text;
}

/// Every system, small, with each thing that an equation can have.
std::vector<std::shared_ptr<const Trace>> varied_traces() {
  const std::vector<Settings> varied = {{},
                                        {{"mask", "causal"}, {"scale", "sqrt_head_dim"}},
                                        {{"temperature", "2"}, {"dropout", "0.3"}},
                                        {{"positions", "rotary"}},
                                        {{"positions", "alibi"}},
                                        {{"positions", "sinusoidal"}},
                                        {{"score", "additive"}, {"input", "self"}}};
  std::vector<std::shared_ptr<const Trace>> traces;
  for (const System& system : systems()) {
    for (const Settings& settings : varied) {
      Experiment experiment = *default_experiment(system.name);
      for (const char* size : {"batch", "height", "width"}) {
        if (find_parameter(system.parameters, size) != nullptr) {
          EXPECT_TRUE(set_parameter_text(experiment, size, "2"));
        }
      }
      bool possible = true;
      for (const auto& [name, value] : settings) possible = possible && set_parameter_text(experiment, name, value);
      if (possible) traces.push_back(*run(experiment));
    }
  }
  return traces;
}

const FormulaSymbol* symbol_of(const AttentionFormula& formula, const std::string& id) {
  const auto found = std::ranges::find(formula.symbols, id, &FormulaSymbol::id);
  return found == formula.symbols.end() ? nullptr : &*found;
}

struct Equation {
  const char* name;
  const char* system;
  Settings settings;
  const char* equation;
  ParameterValues options = {};

  friend void PrintTo(const Equation& each, std::ostream* out) { *out << each.name; }
};

const std::vector<Equation>& equations() {
  static const std::vector<Equation> list = {
      {"plain", "worked-example", {}, R"(Attention(Q, K, V) = softmax(QK^{T}) V
output = Concat(head_{1} … head_{4}) W_{O})"},
      {"scaled", "worked-example", {{"scale", "sqrt_head_dim"}}, R"(Attention(Q, K, V) = softmax(QK^{T} / √d_{k}) V
output = Concat(head_{1} … head_{4}) W_{O}
d_{k} = 7)"},
      {"masked",
       "worked-example",
       {{"mask", "causal"}, {"scale", "sqrt_head_dim"}, {"temperature", "0.5"}, {"dropout", "0.1"}},
       R"(Attention(Q, K, V) = dropout(softmax((QK^{T} / √d_{k} + M) / T)) V
output = Concat(head_{1} … head_{4}) W_{O}
d_{k} = 7, T = 0.5, dropout p = 0.1)"},
      {"tempered", "scaled-dot-product", {{"temperature", "2"}}, R"(Attention(Q, K, V) = softmax(QK^{T} / (√d_{k} T)) V
d_{k} = 2, T = 2)"},
      {"cross",
       "worked-example",
       {{"mask", "causal"}},
       R"(Attention(Q_{2}, K, V) = softmax(Q_{2}K^{T}) V
no mask in cross-attention, Q_{2} from X_{2}, K and V from X)",
       {{"attention", std::string("cross")}}},
      {"single",
       "worked-example",
       {{"positions", "rotary"}},
       "Attention(Q, K, V) = softmax(RoPE(Q) RoPE(K)^{T}) V",
       {{"stage", std::string("single")}}},
      {"single_cross",
       "worked-example",
       {},
       R"(Attention(Q_{2}, K, V) = softmax(Q_{2}K^{T}) V
Q_{2} from X_{2}, K and V from X)",
       {{"stage", std::string("single")}, {"attention", std::string("cross")}}},
      {"alibi",
       "stacked-multihead",
       {{"positions", "alibi"}},
       R"(Attention(Q, K, V) = softmax(QK^{T} / √d_{k} + ALiBi) V
output = Concat(head_{1} … head_{4}) W_{O}^{T} + b_{O}
d_{k} = 8)"},
      {"pixels", "image-self-attention", {}, R"(Attention(Q, K, V) = softmax(QK^{T} / √d_{k}) V
output = head W_{O}^{T} + b_{O}
d_{k} = 32)"},
      {"pixels_multihead", "image-multihead", {}, R"(Attention(Q, K, V) = softmax(QK^{T} / √d_{k}) V
output = Concat(head_{1} … head_{4}) W_{O}^{T} + b_{O}
d_{k} = 8)"},
      {"packed", "packed-multihead", {}, R"(Attention(Q, K, V) = softmax(QK^{T} / √d_{k}) V
output = Concat(head_{1} … head_{8}) W_{O}^{T} + b_{O}
d_{k} = 4)"},
      {"convolution", "conv-attention", {{"heads", "2"}}, R"(Attention(Q, K, V) = softmax((Q / √d_{k})^{T} K) V^{T}
output = W_{O} Concat(head_{1}, head_{2}) + b_{O}
d_{k} = 32)"},
      {"separate", "projected-multihead", {{"heads", "1"}}, R"(Attention(Q, K, V) = softmax(QK^{T} / √d_{k}) V
output = Concat(head_{1}) W_{O}^{T}
d_{k} = 32, Q from X_{Q}, K from X_{K}, V from X_{V})"},
      {"additive",
       "projected-multihead",
       {{"score", "additive"}, {"input", "self"}},
       R"(Attention(Q, K, V) = softmax(a · tanh(QA_{Q}^{T} + KA_{K}^{T})) V
output = Concat(head_{1}, head_{2}) W_{O}^{T})"},
      {"second_layer",
       "hand-made-heads",
       {},
       R"(Attention(Q, K, V) = softmax(QK^{T}) V
output = Concat(head_{1}) W_{O})",
       {{"layer", Index{2}}}},
  };
  return list;
}

class Equations : public testing::TestWithParam<Equation> {};

TEST_P(Equations, IsWhatIsComputed) {
  const Equation& wanted = GetParam();
  EXPECT_EQ(equation_of(*trace_with(wanted.settings, wanted.system), wanted.options), wanted.equation);
}

INSTANTIATE_TEST_SUITE_P(Systems, Equations, testing::ValuesIn(equations()),
                         [](const auto& equation) { return equation.param.name; });

TEST(AttentionFormula, SaysWhichHeadsAreOff) {
  Experiment experiment = experiment_with({});
  experiment.heads_off = {1, 3};
  const std::shared_ptr<const Trace> trace = *run(experiment);
  EXPECT_TRUE(equation_of(*trace).ends_with("\nheads 2, 4 are off")) << equation_of(*trace);
  const auto formula = attention_formula(*trace, shown_attention(*trace, {}));
  EXPECT_EQ(symbol_of(*formula, "head")->tensors, (std::vector<std::string>{"head_outputs", "kept_head_outputs"}));
}

TEST(AttentionFormula, SaysWhatIsForSelfAttentionAlone) {
  const auto trace = trace_with({{"mask", "causal"}, {"positions", "rotary"}});
  const ParameterValues cross = {{"attention", std::string("cross")}};
  EXPECT_NE(equation_of(*trace, cross).find("no mask, no RoPE in cross-attention"), std::string::npos)
      << equation_of(*trace, cross);
  EXPECT_EQ(equation_of(*trace).find("cross"), std::string::npos);
  EXPECT_EQ(equation_of(*trace_with({}), cross).find("in cross-attention"), std::string::npos);
}

/// Every number of an experiment: the equation has symbols that say what they are and stand for tensors of the trace.
TEST(AttentionFormula, EverySymbolStandsForTensorsOfTheTrace) {
  std::set<std::string> seen;
  for (const std::shared_ptr<const Trace>& trace : varied_traces()) {
    const std::string& system = trace->experiment().system;
    for (const char* stage : {"multi", "single"}) {
      const auto formula = attention_formula(*trace, shown_attention(*trace, {{"stage", std::string(stage)}}));
      ASSERT_TRUE(formula) << system;
      std::set<std::string> ids;
      for (const FormulaSymbol& symbol : formula->symbols) {
        EXPECT_TRUE(ids.insert(symbol.id).second) << symbol.id << " twice in " << system;
        ASSERT_FALSE(symbol.tensors.empty()) << symbol.id;
        for (const std::string& tensor : symbol.tensors)
          EXPECT_NE(trace->find(tensor), nullptr) << tensor << " in " << system;
        EXPECT_GE(std::ranges::count(symbol.about, '\n'), 1) << symbol.about;
        seen.insert(symbol.id);
      }
      for (const auto* pieces : {&formula->attention, &formula->output}) {
        for (const FormulaPiece& piece : *pieces) EXPECT_LT(piece.symbol, std::ssize(formula->symbols));
      }
    }
  }
  for (const char* id :
       {"Q",       "K", "V",     "M",    "T",      "divisor", "softmax", "dropout", "ALiBi",  "RoPE(Q)",
        "RoPE(K)", "a", "A_{Q}", "tanh", "Concat", "head",    "W_{O}",   "b_{O}",   "output", "Attention"})
    EXPECT_TRUE(seen.contains(id)) << id;
}

TEST(AttentionFormula, ASymbolSaysWhatItIsWithShapeAndFormula) {
  const std::shared_ptr<const Trace> trace = trace_with({{"mask", "causal"}, {"scale", "sqrt_head_dim"}});
  const auto formula = attention_formula(*trace, shown_attention(*trace, {}));
  ASSERT_TRUE(formula);
  EXPECT_EQ(symbol_of(*formula, "Q")->about,
            "queries: what each token looks for\nq: head 4 × query 6 × dim 7\n"
            "= Σ_feature x[query, feature] · w_q[head, feature, dim]");
  EXPECT_TRUE(symbol_of(*formula, "M")->about.starts_with("mask: the scores of masked pairs become "));
  EXPECT_TRUE(symbol_of(*formula, "divisor")->about.starts_with("√d_k = √7: "));
}

TEST(AttentionFormula, OfAModelHasItsParticulars) {
  EXPECT_EQ(equation_of(*made_trace("gpt2", {1, 2, 5})), R"(Attention(Q, K, V) = softmax(QK^{T} / √d_{k} + M) V
output = Concat(head_{1}, head_{2}) W_{O} + b_{O}
d_{k} = 4)");
}

TEST(MatrixFacts, EveryTensorOfASystemHasAMeaning) {
  for (const std::shared_ptr<const Trace>& trace : varied_traces()) {
    for (const Step& step : trace->steps()) {
      EXPECT_EQ(tensor_meaning(step).find("result of "), std::string::npos)
          << step.name << " in " << trace->experiment().system;
      const std::string facts = matrix_facts(*trace, step);
      EXPECT_NE(facts.find("\n" + step.name + ": " + named_shape(step.axes)), std::string::npos) << facts;
    }
  }
}

TEST(MatrixFacts, HeadingsAreThoseOfTheirMatrices) {
  for (const char* view : {"flow", "qkv", "head", "heads", "image", "compare", "tensor", "permutation"}) {
    const std::string system = view == std::string("image") ? "packed-multihead" : "worked-example";
    const std::shared_ptr<const Trace> trace = trace_with({}, system);
    const Figure figure = figure_of(*trace, view, {}, 900, 700);
    std::set<std::string> headed;
    for (const TextMark& text : figure.texts) {
      if (const Step* step = headed_step(figure, *trace, text)) headed.insert(step->name);
    }
    for (const HeatmapMark& mark : figure.heatmaps) {
      if (mark.step < 0) continue;
      EXPECT_TRUE(headed.contains(trace->steps()[static_cast<std::size_t>(mark.step)].name))
          << mark.id << " in " << view;
    }
  }
}

TEST(MatrixFacts, AHeadingIsFoundUnderThePoint) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const Figure figure = figure_of(*trace, "flow", {}, 900, 700);
  const TextMark* const text = mark(figure.texts, "weights.symbol");
  ASSERT_NE(text, nullptr);
  FigureTransform transform;
  transform.scale = 2;
  transform.offset = {10, 20};
  const Point at = transform.apply(text->at);
  const Step* const found = headed_step_at(figure, *trace, transform, {at.x + 4, at.y - 4});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "weights");
  EXPECT_EQ(headed_step_at(figure, *trace, transform, {at.x + 4, at.y + 12}), nullptr);
  EXPECT_EQ(headed_step_at(figure, *trace, transform, {at.x - 4, at.y - 4}), nullptr);
}

}  // namespace
}  // namespace attnscope::test
