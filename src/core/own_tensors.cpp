#include "core/own_tensors.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "core/text.h"

namespace attnscope {
namespace {

constexpr Index kMostLayers = 512;
constexpr const char* kGuess = "guess";

struct Candidate {
  std::size_t which = 0;
  NamedRole named;
};

bool may_be_a_matrix(const GivenTensor& tensor) {
  return tensor.trouble.empty() && tensor.shape.size() >= 2 &&
         std::all_of(tensor.shape.begin(), tensor.shape.end(), [](Index size) { return size > 0; });
}

/// An array without a name is called as its file.
NamedRole named_role(const GivenTensors& given, const GivenTensor& tensor) {
  if (!tensor.name.empty()) return role_of(tensor.name);
  return role_of(std::filesystem::path(given.file()).stem().string());
}

/// The tensors of that role. One alone whose name says nothing is weights.
std::vector<Candidate> candidates(const GivenTensors& given, TensorRole role) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < given.tensors().size(); ++i) {
    if (may_be_a_matrix(given.tensors()[i])) all.push_back({i, named_role(given, given.tensors()[i])});
  }
  if (all.size() == 1 && all.front().named.role != TensorRole::scores) all.front().named.role = TensorRole::weights;
  std::erase_if(all, [&](const Candidate& each) { return each.named.role != role; });
  return all;
}

/// One for each layer, in their order, where every one says of which it is; otherwise the first one alone.
std::vector<Candidate> by_layer(std::vector<Candidate> found) {
  std::set<Index> layers;
  for (const Candidate& each : found) {
    if (each.named.layer) layers.insert(*each.named.layer);
  }
  if (layers.size() != found.size()) return {found.front()};
  std::sort(found.begin(), found.end(),
            [](const Candidate& a, const Candidate& b) { return *a.named.layer < *b.named.layer; });
  return found;
}

bool has_layer(const std::vector<Candidate>& found) { return found.front().named.layer.has_value(); }

TensorRole role_of_use(const std::string& use) {
  return use == kUseWeights ? TensorRole::weights : use == kUseScores ? TensorRole::scores : TensorRole::query;
}

std::string order_text(const AxisGuess& guess) {
  std::vector<std::string> words;
  for (const AxisRole role : guess) words.emplace_back(axis_role_name(role));
  return join(words, " ");
}

std::string shown(const GivenTensor& tensor) {
  std::vector<std::string> sizes;
  for (const Index size : tensor.shape) sizes.push_back(std::to_string(size));
  return (tensor.name.empty() ? "the array" : tensor.name) + " [" + join(sizes, ", ") + "]";
}

/// What the axes of a tensor are, where `axes` is a guess or given.
Result<AxisGuess> axes_of(const GivenTensors& given, const Candidate& candidate, TensorRole role,
                          const std::string& axes) {
  const GivenTensor& tensor = given.tensors()[candidate.which];
  const std::vector<AxisGuess> guesses = axis_guesses(role, tensor.shape, candidate.named.layer.has_value());
  if (guesses.empty())
    return fail(given.file() + ": " + shown(tensor) + " has " + std::to_string(tensor.shape.size()) +
                " axes; allowed: 2 to 5");
  if (axes == kGuess) return guesses.front();
  std::vector<std::string> allowed = {kGuess};
  for (const AxisGuess& guess : guesses) {
    if (order_text(guess) == axes) return guess;
    allowed.push_back(order_text(guess));
  }
  return fail("axes: " + quoted_text(axes) + " is not allowed for " + shown(tensor) +
              "; allowed: " + join(allowed, ", "));
}

/// The parts of a tensor along its axis of layers, or all of it.
struct Parts {
  const std::shared_ptr<const GivenTensors>& given;
  const Candidate& candidate;
  const AxisGuess& guess;
  const char* position;  ///< what its tokens are: query, key

  [[nodiscard]] const std::vector<Index>& shape() const { return given->tensors()[candidate.which].shape; }
  [[nodiscard]] std::optional<std::size_t> axis(AxisRole role) const {
    const auto found = std::find(guess.begin(), guess.end(), role);
    return found == guess.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - guess.begin()));
  }
  [[nodiscard]] Index layers() const {
    const auto at = axis(AxisRole::layer);
    return at ? shape()[*at] : 1;
  }
  [[nodiscard]] OwnTensor part(Index layer) const {
    OwnTensor own;
    own.numbers.from = given;
    own.numbers.which = candidate.which;
    own.numbers.at.assign(guess.size(), 0);
    if (const auto at = axis(AxisRole::layer)) own.numbers.at[*at] = layer;
    constexpr std::array<AxisRole, 6> kOrder = {AxisRole::batch, AxisRole::head, AxisRole::query,
                                                AxisRole::token, AxisRole::key,  AxisRole::dim};
    for (const AxisRole role : kOrder) {
      const auto at = axis(role);
      if (!at) continue;
      own.numbers.axes.push_back(static_cast<int>(*at));
      own.axes.push_back({role == AxisRole::token ? position : std::string(axis_role_name(role)), shape()[*at]});
    }
    return own;
  }
};

/// "[head 8, key 10, dim 64]"
std::string axes_text(const Axes& axes) {
  std::vector<std::string> words;
  for (const Axis& axis : axes) words.push_back(axis.name + " " + std::to_string(axis.size));
  return "[" + join(words, ", ") + "]";
}

tl::unexpected<Error> nothing_found(const GivenTensors& given) {
  std::vector<std::string> names;
  constexpr std::size_t kMostNamed = 8;
  for (const GivenTensor& tensor : given.tensors()) {
    if (names.size() < kMostNamed)
      names.push_back(shown(tensor) + (tensor.trouble.empty() ? "" : ": " + tensor.trouble));
  }
  if (given.tensors().size() > kMostNamed)
    names.push_back("and " + std::to_string(given.tensors().size() - kMostNamed) + " more");
  return fail(given.file() + ": no tensor is called like attention weights, scores, or queries and keys; it has " +
              (names.empty() ? "none" : join(names, ", ")));
}

/// Whether keys and values go with queries: the same batch and heads, as many dimensions, as many keys as values.
Result<void> check_together(const GivenTensors& given, const OwnLayer& layer) {
  const auto differ = [&](const char* what, const Axes& a, const Axes& b) {
    return fail(given.file() + ": " + what + " do not go with the queries: " + axes_text(b) + "; allowed: as " +
                axes_text(a));
  };
  const Axes& q = layer.q->axes;
  const Axes& k = layer.k->axes;
  const auto same_leading = [&](const Axes& other) {
    return other.size() == q.size() && std::equal(q.begin(), q.end() - 2, other.begin());
  };
  if (!same_leading(k) || k.back() != q.back()) return differ("keys", q, k);
  if (!layer.v) return {};
  const Axes& v = layer.v->axes;
  if (!same_leading(v) || v[v.size() - 2] != k[k.size() - 2]) return differ("values", k, v);
  return {};
}

using Found = std::optional<OwnTensor> OwnLayer::*;

/// Adds the parts of every layer to `layers`, which has as many already unless it is empty.
Result<void> add_tensors(const std::shared_ptr<const GivenTensors>& given, const std::vector<Candidate>& found,
                         TensorRole role, const std::string& axes, Found member, std::vector<OwnLayer>& layers) {
  std::vector<OwnTensor> parts;
  for (const Candidate& candidate : found) {
    const Result<AxisGuess> guess = axes_of(*given, candidate, role, axes);
    if (!guess) return tl::unexpected(guess.error());
    const Parts of = {given, candidate, *guess, role == TensorRole::query ? "query" : "key"};
    if (of.layers() > kMostLayers || std::ssize(found) > kMostLayers) {
      return fail(given->file() + ": " + std::to_string(std::max(of.layers(), std::ssize(found))) +
                  " layers are not allowed; allowed: at most " + std::to_string(kMostLayers));
    }
    for (Index layer = 0; layer < of.layers(); ++layer) parts.push_back(of.part(layer));
  }
  if (layers.empty()) layers.resize(parts.size());
  if (layers.size() != parts.size()) {
    return fail(given->file() + ": " + std::string(role_name(role)) + " of " + std::to_string(parts.size()) +
                (parts.size() == 1 ? " layer" : " layers") + "; allowed: as many as there are queries, " +
                std::to_string(layers.size()));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) layers[i].*member = std::move(parts[i]);
  return {};
}

}  // namespace

std::vector<std::string> possible_uses(const GivenTensors& given) {
  std::vector<std::string> uses;
  if (!candidates(given, TensorRole::weights).empty()) uses.emplace_back(kUseWeights);
  if (!candidates(given, TensorRole::scores).empty()) uses.emplace_back(kUseScores);
  if (!candidates(given, TensorRole::query).empty() && !candidates(given, TensorRole::key).empty())
    uses.emplace_back(kUseQueries);
  return uses;
}

std::vector<std::string> possible_axes(const GivenTensors& given, const std::string& use) {
  const std::vector<Candidate> found = candidates(given, role_of_use(use));
  std::vector<std::string> orders;
  if (found.empty()) return orders;
  const GivenTensor& tensor = given.tensors()[found.front().which];
  for (const AxisGuess& guess : axis_guesses(role_of_use(use), tensor.shape, has_layer(found)))
    orders.push_back(order_text(guess));
  return orders;
}

std::vector<std::string> axis_orders() {
  std::vector<std::string> orders;
  for (const TensorRole role : {TensorRole::weights, TensorRole::query}) {
    for (std::size_t rank = 2; rank <= 5; ++rank) {
      // Long and short axes, for every guess that there is.
      for (const Index size : {Index{1}, Index{2}, Index{100'000}}) {
        for (const AxisGuess& guess : axis_guesses(role, std::vector<Index>(rank, size), false)) {
          if (std::find(orders.begin(), orders.end(), order_text(guess)) == orders.end())
            orders.push_back(order_text(guess));
        }
      }
    }
  }
  return orders;
}

Result<std::vector<OwnLayer>> own_layers(const std::shared_ptr<const GivenTensors>& given, const std::string& use,
                                         const std::string& axes) {
  const std::vector<Candidate> main = candidates(*given, role_of_use(use));
  if (main.empty()) return nothing_found(*given);
  std::vector<OwnLayer> layers;
  if (use != kUseQueries) {
    const Found member = use == kUseWeights ? &OwnLayer::weights : &OwnLayer::scores;
    if (Result<void> added = add_tensors(given, by_layer(main), role_of_use(use), axes, member, layers); !added)
      return tl::unexpected(added.error());
    return layers;
  }
  constexpr std::array<std::pair<TensorRole, Found>, 3> kParts = {
      {{TensorRole::query, &OwnLayer::q}, {TensorRole::key, &OwnLayer::k}, {TensorRole::value, &OwnLayer::v}}};
  for (const auto& [role, member] : kParts) {
    const std::vector<Candidate> found = candidates(*given, role);
    if (found.empty() && role == TensorRole::value) continue;
    if (found.empty()) return nothing_found(*given);
    if (Result<void> added = add_tensors(given, by_layer(found), role, axes, member, layers); !added)
      return tl::unexpected(added.error());
  }
  for (const OwnLayer& layer : layers) {
    if (Result<void> together = check_together(*given, layer); !together) return tl::unexpected(together.error());
  }
  return layers;
}

}  // namespace attnscope
