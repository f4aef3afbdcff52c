#include "core/experiment/intervention.h"

#include <algorithm>
#include <iterator>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::string_view kHeads = "head_outputs";
constexpr std::string_view kCrossHeads = "cross_head_outputs";
constexpr std::string_view kMlp = "mlp_out";
constexpr std::string_view kStream = "out";
constexpr std::string_view kScores = "scores";
constexpr std::string_view kCrossScores = "cross_scores";

/// "layer2." and "head_outputs".
struct SplitName {
  std::string_view layer;
  std::string_view last;
};

SplitName split_name(std::string_view tensor) {
  const std::size_t dot = tensor.rfind('.');
  const std::size_t begin = dot == std::string_view::npos ? 0 : dot + 1;
  return {tensor.substr(0, begin), tensor.substr(begin)};
}

/// A number from 1, as one from 0.
std::optional<Index> counted(std::string_view digits) {
  const std::optional<Index> number = parse_integer(digits);
  return number && *number >= 1 ? std::optional(*number - 1) : std::nullopt;
}

/// "layer2.", "encoder.layer2.", "decoder.layer2.".
bool is_layer(std::string_view prefix) {
  if (!take_prefix(prefix, "encoder.")) take_prefix(prefix, "decoder.");
  return take_prefix(prefix, "layer") && prefix.ends_with('.') && prefix.front() != '0' &&
         counted(prefix.substr(0, prefix.size() - 1)).has_value();
}

}  // namespace

std::string_view kind_name(Intervention::Kind kind) { return kInterventionKinds[static_cast<std::size_t>(kind)]; }

std::optional<Intervention::Kind> intervention_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kInterventionKinds, name);
  if (found == kInterventionKinds.end()) return std::nullopt;
  return static_cast<Intervention::Kind>(found - kInterventionKinds.begin());
}

std::string part_name(const Intervention& intervention) {
  const auto [layer, last] = split_name(intervention.tensor);
  std::string name(layer);
  if (last == kMlp) {
    name += "mlp";
  } else if (last == kStream) {
    name += kStream;
  } else {
    const bool is_cross = last == kCrossHeads || last == kCrossScores;
    name += (is_cross ? "cross_head" : "head") + std::to_string(intervention.head.value_or(0) + 1);
  }
  if (intervention.position) name += "@" + std::to_string(*intervention.position + 1);
  if (intervention.key) name += (intervention.position ? ":" : "@*:") + std::to_string(*intervention.key + 1);
  return name;
}

Result<Intervention> intervention_on(std::string_view part) {
  const auto refuse = [&] {
    return fail(quoted_text(std::string(part)) +
                " is not allowed; allowed: layer2.head3, decoder.layer1.cross_head2, layer2.mlp or layer2.out, counted "
                "from 1, each also at one position: layer2.head3@5; masked is a key of one query or of all: "
                "layer2.head3@5:2, layer2.head3@*:2");
  };
  Intervention made;
  std::string_view rest = part;
  if (const std::size_t at = rest.find('@'); at != std::string_view::npos) {
    std::string_view position = rest.substr(at + 1);
    if (const std::size_t colon = position.find(':'); colon != std::string_view::npos) {
      made.key = counted(position.substr(colon + 1));
      if (!made.key) return refuse();
      made.kind = Intervention::Kind::masked;
      position = position.substr(0, colon);
    }
    const bool is_every = made.key && position == "*";
    if (!is_every) made.position = counted(position);
    if (!is_every && !made.position) return refuse();
    rest = rest.substr(0, at);
  }
  auto [layer, last] = split_name(rest);
  if (!is_layer(layer)) return refuse();
  made.tensor = layer;
  if (made.key && (last == "mlp" || last == kStream)) return refuse();
  if (last == "mlp") {
    made.tensor += kMlp;
  } else if (last == kStream) {
    made.tensor += kStream;
  } else {
    const bool is_cross = take_prefix(last, "cross_");
    if (made.key) {
      made.tensor += is_cross ? kCrossScores : kScores;
    } else {
      made.tensor += is_cross ? kCrossHeads : kHeads;
    }
    if (!take_prefix(last, "head")) return refuse();
    made.head = counted(last);
    if (!made.head) return refuse();
  }
  return made;
}

std::string part_title(const Intervention& intervention) {
  auto [layer, last] = split_name(intervention.tensor);
  std::string title;
  if (take_prefix(layer, "encoder.")) title = "Encoder ";
  if (take_prefix(layer, "decoder.")) title = "Decoder ";
  take_prefix(layer, "layer");
  title += (title.empty() ? "Layer " : "layer ") + std::string(layer.substr(0, layer.find('.')));
  if (last == kCrossHeads || last == kCrossScores) title += ", cross-attention";
  if (last == kMlp) title += ", MLP";
  if (last == kStream) title += ", residual stream";
  if (intervention.head) title += ", head " + std::to_string(*intervention.head + 1);
  if (intervention.position)
    title += (intervention.key ? ", query " : ", position ") + std::to_string(*intervention.position + 1);
  if (intervention.key) title += ", key " + std::to_string(*intervention.key + 1);
  return title;
}

std::string parts_text(std::span<const Intervention> interventions, std::size_t most_named) {
  std::vector<std::string> parts;
  for (const Intervention& each : interventions.first(std::min(most_named, interventions.size()))) {
    std::string title = part_title(each);
    title.front() = static_cast<char>(title.front() - 'A' + 'a');
    parts.push_back(title + " " + std::string(kind_name(each.kind)));
  }
  if (interventions.size() > most_named)
    parts.push_back("and " + std::to_string(interventions.size() - most_named) + " more");
  return join(parts, "; ");
}

std::vector<Intervention> on_any_text(std::span<const Intervention> interventions) {
  std::vector<Intervention> those;
  std::ranges::copy_if(interventions, std::back_inserter(those), [](const Intervention& each) {
    return each.kind != Intervention::Kind::patched && !each.position && !each.key;
  });
  return those;
}

const Intervention* same_part(const std::vector<Intervention>& all, const Intervention& one) {
  const auto found = std::ranges::find_if(all, [&](const Intervention& each) {
    return each.tensor == one.tensor && each.head == one.head && each.position == one.position && each.key == one.key;
  });
  return found == all.end() ? nullptr : &*found;
}

bool can_intervene(std::string_view tensor) {
  const auto [layer, last] = split_name(tensor);
  return is_layer(layer) && (last == kHeads || last == kCrossHeads || last == kMlp || last == kStream);
}

bool can_mask(std::string_view tensor) {
  const auto [layer, last] = split_name(tensor);
  return is_layer(layer) && (last == kScores || last == kCrossScores);
}

std::string scores_of_heads(std::string_view tensor) {
  auto [layer, last] = split_name(tensor);
  const bool is_cross = take_prefix(last, "cross_");
  if (last != "weights" && last != "masked_scores" && last != "biased_scores" && last != kScores) return {};
  return is_layer(layer) ? std::string(layer) + std::string(is_cross ? kCrossScores : kScores) : std::string();
}

std::string changed_name(std::string_view tensor) {
  const auto [layer, last] = split_name(tensor);
  return std::string(layer) + "changed_" + std::string(last);
}

}  // namespace attnscope
