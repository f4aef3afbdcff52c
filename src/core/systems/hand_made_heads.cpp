// Heads whose weights are set by hand: each does exactly one thing. Tokens and positions are one-hot. A query selects
// positions or a token, a key states its token and position, and every score is an integer times the sharpness. The
// score of a selected key exceeds all others by at least the sharpness.
#include <algorithm>
#include <array>
#include <map>

#include "core/experiment/system.h"
#include "core/script/script.h"
#include "core/systems/systems.h"

namespace attnscope {
namespace hand_made_heads_parts {
namespace {

enum Head : Index { previous, first, duplicate, same, next, uniform, window, head_count };

const std::array<const char*, head_count> kHeadNames = {"previous token", "first token", "duplicate token", "self",
                                                        "next token",     "uniform",     "local window"};

/// Token identities: labelled positions are numbered by the first occurrence of their label; each position after the
/// last label is a token of its own.
struct TokenKinds {
  std::vector<Index> labelled;
  Index count = 0;
};

TokenKinds token_kinds(const Experiment& e) {
  const Index tokens = e.integer("tokens");
  TokenKinds kinds;
  std::map<std::string_view, Index> numbers;
  for (const std::string& label : e.labels) {
    if (std::ssize(kinds.labelled) == tokens) break;
    kinds.labelled.push_back(numbers.emplace(label, std::ssize(numbers)).first->second);
  }
  kinds.count = std::ssize(numbers) + tokens - std::ssize(kinds.labelled);
  return kinds;
}

/// A square part: `value` times the identity.
SetPart identity(Index row, Index column, Index size, double value, std::string why) {
  return {0, row, column, size, size, 0, 0, value, std::move(why)};
}

SetPart of_head(Index head, SetPart part) {
  part.matrix = head;
  return part;
}

/// The hand-set numbers. Features are token, position and previous token, each one-hot; queries and keys have token and
/// position.
class HandMadeWeights {
 public:
  explicit HandMadeWeights(const Experiment& e)
      : kinds_(token_kinds(e)),
        tokens_(e.integer("tokens")),
        radius_(e.integer("radius")),
        sharpness_(e.real("sharpness")) {}

  [[nodiscard]] Axis feature() const { return {"feature", at_previous() + kinds_.count}; }
  [[nodiscard]] Axis dim() const { return {"dim", at_previous()}; }
  [[nodiscard]] Axis value_dim() const { return {"dim", kinds_.count}; }
  [[nodiscard]] Axis merged(Index heads) const { return {"head·dim", saturating_product(heads, kinds_.count)}; }
  [[nodiscard]] Axis token() const { return {"token", tokens_}; }

  [[nodiscard]] std::vector<SetPart> x() const {
    std::vector<SetPart> parts;
    const auto labelled = std::ssize(kinds_.labelled);
    for (Index at = 0; at < labelled; ++at) {
      const Index kind = kinds_.labelled[static_cast<std::size_t>(at)];
      parts.push_back(identity(at, kind, 1, 1, "Token identity: equal labels are the same token."));
    }
    if (labelled < tokens_) {
      const Index rest = tokens_ - labelled;
      parts.push_back(identity(labelled, kinds_.count - rest, rest, 1,
                               "Token identity: a position without a label is a distinct token."));
    }
    parts.push_back(identity(0, at_position(), tokens_, 1, "Position, one-hot."));
    // Cancels the previous-token head's output at the first position, where it attends to the token itself.
    const Index first_kind = labelled > 0 ? kinds_.labelled.front() : 0;
    parts.push_back(identity(0, at_previous() + first_kind, 1, -1,
                             "The first token has no previous one: this cancels what the head adds there."));
    return parts;
  }

  [[nodiscard]] std::vector<SetPart> w_q() const {
    const double s = sharpness_;
    const Index n = tokens_;
    return {
        want(Head::previous, 1, 0, n - 1, 0, 0, s, "Previous token: a query selects the position before its own."),
        want(Head::previous, 0, 0, 1, 0, 0, s, "Previous token: the first token selects itself."),
        want_first(Head::first, s, "First token: every query selects the first position."),
        of_head(Head::duplicate,
                identity(0, 0, kinds_.count, 2 * s, "Duplicate token: a query selects its own token.")),
        want(Head::duplicate, 0, 0, n, -n, -1, 2 * s, "Duplicate token: a query selects the positions before its own."),
        want(Head::duplicate, 0, 0, n, 0, 0, s, "Duplicate token: without an earlier copy, the token itself."),
        want(Head::same, 0, 0, n, 0, 0, s, "Self: a query selects its own position."),
        want(Head::next, 0, 1, n - 1, 0, 0, s, "Next token: a query selects the position after its own."),
        want(Head::next, n - 1, n - 1, 1, 0, 0, s, "Next token: the last token selects itself."),
        want(Head::window, 0, 0, n, -radius_, radius_, s,
             "Local window: a query selects the positions around its own."),
    };
  }

  /// The keys of every head state the token and its position.
  [[nodiscard]] std::vector<SetPart> w_k() const {
    std::vector<SetPart> parts;
    for (Index head = 0; head < head_count; ++head)
      parts.push_back(of_head(head, identity(0, 0, dim().size, 1, "A key encodes its token and its position.")));
    return parts;
  }

  [[nodiscard]] std::vector<SetPart> w_v(Index heads) const {
    std::vector<SetPart> parts;
    for (Index head = 0; head < heads; ++head)
      parts.push_back(of_head(head, identity(0, 0, kinds_.count, 1, "A value is a copy of the token.")));
    return parts;
  }

  [[nodiscard]] std::vector<SetPart> w_out() const {
    return {identity(Head::previous * kinds_.count, at_previous(), kinds_.count, 1,
                     "The previous-token head writes what it copied into the features for the previous token.")};
  }

  [[nodiscard]] std::vector<SetPart> induction_w_q() const {
    const double s = sharpness_;
    return {
        identity(0, 0, kinds_.count, 2 * s,
                 "Induction: a query looks for a key whose previous token is its own token."),
        want(0, 1, 1, tokens_ - 1, -tokens_, 0, 2 * s, "Induction: only up to its own position, and not at the first."),
        want_first(0, 3 * s, "Induction: without a match, the first token."),
    };
  }
  [[nodiscard]] std::vector<SetPart> induction_w_k() const {
    return {identity(at_previous(), 0, kinds_.count, 1, "A key encodes its previous token."),
            identity(at_position(), at_position(), tokens_, 1, "A key encodes its position.")};
  }
  [[nodiscard]] std::vector<SetPart> induction_w_out() const {
    return {identity(0, 0, kinds_.count, 1, "The head predicts the token that followed last time.")};
  }

 private:
  [[nodiscard]] Index at_position() const { return kinds_.count; }
  [[nodiscard]] Index at_previous() const { return kinds_.count + tokens_; }

  /// The `count` queries from position `query` on select keys from position `key` on, on the diagonals from `from` to
  /// `to`.
  [[nodiscard]] SetPart want(Index head, Index query, Index key, Index count, Index from, Index to, double value,
                             std::string why) const {
    return {head, at_position() + query, at_position() + key, count, count, from, to, value, std::move(why)};
  }
  [[nodiscard]] SetPart want_first(Index head, double value, std::string why) const {
    return {head, at_position(), at_position(), tokens_, 1, -tokens_, 0, value, std::move(why)};
  }

  TokenKinds kinds_;
  Index tokens_ = 0;
  Index radius_ = 0;
  double sharpness_ = 0;
};

/// Input and weights of a layer. The names of its tensors start with `prefix`.
struct LayerInput {
  std::string prefix;
  Index heads = 1;
  Value x, w_q, w_k, w_v;
};

/// Returns the concatenated head outputs, `merged`.
Value attend(const Experiment& e, PlanBuilder& r, const LayerInput& in) {
  const std::string& p = in.prefix;
  const Value q = contract(r, p + "q", "query feature, head feature dim -> head query dim", in.x, in.w_q);
  const Value k = contract(r, p + "k", "key feature, head feature dim -> head key dim", in.x, in.w_k);
  const Value v = contract(r, p + "v", "key feature, head feature dim -> head key dim", in.x, in.w_v);
  const Value scores = contract(r, p + "scores", "head query dim, head key dim -> head query key", q, k);
  const Index tokens = e.integer("tokens");
  const Value weights = attention_weights(r, e, p, scores, e.mask(), {1, in.heads, tokens, tokens});
  const Value outputs = contract(r, p + "head_outputs", "head query key, head key dim -> head query dim", weights, v);
  return rearrange(r, p + "merged", "head token dim -> token (head dim)",
                   p.empty() ? keep_heads(r, e, outputs) : outputs);
}

/// A mask with a layer for every head gives its first one to the induction head.
MaskSizes mask_sizes(const Experiment& e) { return {1, head_count, e.integer("tokens"), e.integer("tokens")}; }

void run_system(const Experiment& e, PlanBuilder& r) {
  constexpr const char* kOut = "token merged, merged feature -> token feature";
  const HandMadeWeights set(e);
  const Axis feature = set.feature();
  const Axis heads = {"head", head_count};
  const Axis induction = {"head", 1};
  const std::string second = "layer2.";

  LayerInput one = {"", head_count, set_by_hand(r, "x", {set.token(), feature}, set.x()), {}, {}, {}};
  one.w_q = set_by_hand(r, "w_q", {heads, feature, set.dim()}, set.w_q());
  one.w_k = set_by_hand(r, "w_k", {heads, feature, set.dim()}, set.w_k());
  one.w_v = set_by_hand(r, "w_v", {heads, feature, set.value_dim()}, set.w_v(head_count));
  const Value w_out = set_by_hand(r, "w_out", {set.merged(head_count), feature}, set.w_out());
  LayerInput two = {second, 1, {}, {}, {}, {}};
  two.w_q = set_by_hand(r, second + "w_q", {induction, feature, set.dim()}, set.induction_w_q());
  two.w_k = set_by_hand(r, second + "w_k", {induction, feature, set.dim()}, set.induction_w_k());
  two.w_v = set_by_hand(r, second + "w_v", {induction, feature, set.value_dim()}, set.w_v(1));
  const Value second_w_out = set_by_hand(r, second + "w_out", {set.merged(1), feature}, set.induction_w_out());

  const Value out = contract(r, "out", kOut, attend(e, r, one), w_out);
  two.x = add(r, second + "x", "token feature, token feature -> token feature", one.x, out);
  contract(r, second + "out", kOut, attend(e, r, two), second_w_out);
}

void write_input(Script& s) {
  const Experiment& e = s.experiment();
  const auto labelled = std::min<std::size_t>(e.labels.size(), static_cast<std::size_t>(e.integer("tokens")));
  s.code("# Equal labels are the same token; positions without a label are distinct tokens.\nlabels = " +
         python_list(std::span(e.labels).first(labelled)));
  s.code(R"(
labels += range(len(labels), tokens)
kinds = list(dict.fromkeys(labels))
kind = torch.tensor([kinds.index(label) for label in labels])

# One-hot token, one-hot position, and room for the previous token. The first token has no
# previous one: cancel what the previous-token head will add there, which is the token itself.
token, position = torch.eye(len(kinds))[kind], torch.eye(tokens)
previous = torch.zeros_like(token)
previous[0] = -token[0]
x = torch.cat([token, position, previous], dim=1)
)");
}

void write_weights(Script& s) {
  s.section(R"(
# How strongly each head's query at one position selects the key at another.
query, key = torch.arange(tokens)[:, None], torch.arange(tokens)
wanted = [
    key == (query - 1).clamp(min=0),  # previous token
    (key == 0).expand(tokens, tokens),  # first token
    2 * (key < query) + (key == query),  # duplicate token: also of the same kind, see below
    key == query,  # self
    key == (query + 1).clamp(max=tokens - 1),  # next token
    torch.zeros(tokens, tokens),  # uniform
    (key - query).abs() <= radius,  # local window
]
heads, features, dim = len(wanted), x.shape[1], len(kinds) + tokens
w_q = torch.zeros(heads, features, dim)
w_q[:, len(kinds):dim, len(kinds):] = sharpness * torch.stack([each.float() for each in wanted])
w_q[2, :len(kinds), :len(kinds)] = 2 * sharpness * torch.eye(len(kinds))
w_k = torch.eye(features)[:, :dim].repeat(heads, 1, 1)
w_v = torch.eye(features)[:, :len(kinds)].repeat(heads, 1, 1)
# Only the previous-token head writes its output.
w_out = torch.zeros(heads * len(kinds), features)
w_out[:len(kinds), dim:] = torch.eye(len(kinds))

# The induction head selects keys whose previous token is its own token, otherwise the first.
layer2_w_q = torch.zeros(1, features, dim)
layer2_w_q[0, :len(kinds), :len(kinds)] = 2 * sharpness * torch.eye(len(kinds))
by_place = torch.where(key == 0, 3, 2 * (key <= query))
layer2_w_q[0, len(kinds):dim, len(kinds):] = sharpness * by_place
layer2_w_k = torch.zeros(1, features, dim)
layer2_w_k[0, dim:, :len(kinds)] = torch.eye(len(kinds))
layer2_w_k[0, len(kinds):dim, len(kinds):] = torch.eye(tokens)
layer2_w_v = w_v[:1]
layer2_w_out = torch.eye(features)[:len(kinds)]
)");
}

/// `prefix` precedes the names of the layer's variables.
void write_layer(Script& s, const std::string& prefix, const std::string& input) {
  const Experiment& e = s.experiment();
  const auto named = [&](const char* name) { return prefix + name; };
  for (const char* letter : {"q", "k", "v"}) s.code(named(letter) + " = " + input + " @ " + named("w_") + letter);
  s.code(named("scores") + " = " + named("q") + " @ " + named("k") + ".transpose(-2, -1)");
  s.code(weights_code(e, prefix));
  s.code(named("head_outputs") + " = " + weights_name(e, prefix) + " @ " + named("v"));
  if (prefix.empty()) s.code(heads_code(e, "head_outputs", 0));
  s.code(named("merged") + " = " + (prefix.empty() ? heads_name(e) : named("head_outputs")) +
         ".transpose(0, 1).flatten(1)");
  s.code(named("out") + " = " + named("merged") + " @ " + named("w_out"));
}

void write_script(Script& s) {
  const Experiment& e = s.experiment();
  for (const std::string& name : s.tensors()) {
    if (name.starts_with("layer2.")) s.save(name, "layer2_" + name.substr(7));
  }
  write_input(s);
  write_weights(s);
  s.section(mask_code(e, {{"head"}, "tokens", "tokens"}));
  s.empty_line();
  write_layer(s, "", "x");
  s.section("layer2_x = x + out");
  const Mask& mask = e.mask();
  if (mask.shape.size() == 4 && mask.shape[1] > 1) s.code("keep = keep[:1]  # the mask of the first head");
  write_layer(s, "layer2_", "layer2_x");
}

Parameter sharpness_parameter() {
  Parameter parameter;
  parameter.name = "sharpness";
  parameter.label = "Sharpness";
  parameter.help =
      "How far the scores of the selected keys exceed the others. From about 104, all other weights are exactly 0; at "
      "0, every head is uniform.";
  parameter.kind = Parameter::Kind::real;
  parameter.default_value = 120.0;
  parameter.maximum = 1e6;
  parameter.slider_maximum = 150;
  return parameter;
}

}  // namespace
}  // namespace hand_made_heads_parts

System hand_made_heads() {
  System system;
  system.name = "hand-made-heads";
  system.title = "Hand-made heads";
  system.summary =
      "Heads whose hand-set weights each do exactly one thing, and an induction head in a second layer. Nothing is "
      "random: the seed has no effect.";
  system.source = "the kinds of heads described by Clark et al. 2019 and Olsson et al. 2022";
  system.labels = {"the", "cat", "sat", "on", "the", "mat", "and", "the", "cat", "sat", "on", "the"};
  system.reads_labels = [](const Experiment&) { return true; };
  system.head_names = {{hand_made_heads_parts::kHeadNames.begin(), hand_made_heads_parts::kHeadNames.end()},
                       {"induction"}};
  system.parameters = {
      integer_parameter("tokens", "Tokens", "Number of tokens; equal labels are the same token.", 12, 1, 32),
      integer_parameter("radius", "Window radius",
                        "Number of tokens on either side that the local-window head attends to.", 1, 0, 8),
      hand_made_heads_parts::sharpness_parameter(),
  };
  system.mask_sizes = hand_made_heads_parts::mask_sizes;
  system.run = hand_made_heads_parts::run_system;
  system.script = hand_made_heads_parts::write_script;
  return system;
}

}  // namespace attnscope
