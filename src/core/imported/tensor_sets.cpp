#include "core/imported/tensor_sets.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/imported/imported_layers.h"

namespace attnscope {
namespace {

using Candidate = TensorSets::Candidate;
using Group = TensorSets::Group;

bool may_be_attention(const ImportedTensor& tensor) {
  constexpr std::size_t kMaxAxes = 5;
  const std::size_t least = role_of(tensor.name).role == TensorRole::output_bias ? 1 : 2;
  return has_numbers(tensor) && tensor.shape.size() >= least && tensor.shape.size() <= kMaxAxes;
}

/// What the name of a file says about the first axis of its array. Its numbers (gpt2, seed42) count no layers.
FirstAxis first_axis_of_file(std::string name) {
  const bool numbered = std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; }) > 0;
  const FirstAxis said = first_axis_of(name);
  return numbered && said == FirstAxis::layers ? FirstAxis::unknown : said;
}

Candidate candidate(const ImportedTensors& given, std::size_t which) {
  const std::string name = name_in(given, which);
  if (given.tensors()[which].name.empty()) return {which, {role_of(name).role, {}}, first_axis_of_file(name)};
  return {which, role_of(name), first_axis_of(name)};
}

/// Whether the first row of a tensor looks like attention weights.
bool begins_like_weights(const ImportedTensors& given, std::size_t which) {
  const std::vector<Index>& shape = given.tensors()[which].shape;
  // No row of attention is longer.
  constexpr Index kMaxRow = Index{1} << 20U;
  if (shape.back() > kMaxRow) return false;
  std::vector<float> row(static_cast<std::size_t>(shape.back()));
  const std::vector<Index> begin(shape.size(), 0);
  std::vector<Index> end(shape.size(), 1);
  end.back() = shape.back();
  // Of a file that is gone or damaged, what its names suggest has to do.
  return !given.read(which, begin, end, row, {}) || look_at_rows({row.data(), 1, shape.back(), shape.back(), 1}).all();
}

/// numpy's names for arrays without one: "arr_0". Their numbers count layers if there are several, all of them with as
/// many axes and rows like attention weights.
bool are_layers_without_names(const ImportedTensors& given, const std::vector<Candidate>& all) {
  constexpr std::string_view kUnnamed = "arr_";
  return all.size() > 1 && std::ranges::all_of(all, [&](const Candidate& one) {
           const ImportedTensor& tensor = given.tensors()[one.which];
           return tensor.name.starts_with(kUnnamed) && one.named.layer.size() == 1 &&
                  tensor.shape.size() == given.tensors()[all.front().which].shape.size() &&
                  begins_like_weights(given, one.which);
         });
}

/// The tensors that may belong to attention, in file order. A single tensor is taken for weights, unless its name says
/// scores or a model's parameter; so are arrays without names.
std::vector<Candidate> candidates(const ImportedTensors& given) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < given.tensors().size(); ++i) {
    if (may_be_attention(given.tensors()[i])) all.push_back(candidate(given, i));
  }
  const auto shown = std::count_if(given.tensors().begin(), given.tensors().end(), has_numbers);
  const auto is_other = [&](const Candidate& one) {
    return one.named.role == TensorRole::scores || one.named.role == TensorRole::output ||
           is_parameter(given.tensors()[one.which].name);
  };
  if (are_layers_without_names(given, all)) {
    for (Candidate& each : all) each.named.role = TensorRole::weights;
  }
  if (all.size() == 1 && shown == 1 && !is_other(all.front())) all.front().named.role = TensorRole::weights;
  return all;
}

/// One tensor per layer, in order, if every name states a different layer; otherwise only the first tensor. Among
/// several, none has a layer axis.
std::vector<Candidate> by_layer(std::vector<Candidate> found) {
  std::set<std::vector<Index>> layers;
  for (const Candidate& each : found) {
    if (!each.named.layer.empty()) layers.insert(each.named.layer);
  }
  if (layers.size() != found.size()) return {found.front()};
  std::sort(found.begin(), found.end(),
            [](const Candidate& a, const Candidate& b) { return a.named.layer < b.named.layer; });
  if (found.size() > 1) {
    for (Candidate& each : found) each.first = FirstAxis::batch;
  }
  return found;
}

/// Tensors of one role, grouped by the rest of their names, in file order.
struct NamedSets {
  std::vector<std::pair<std::string, std::vector<Candidate>>> sets;
  std::unordered_map<std::string, std::size_t> places;

  void add(const std::string& name, const Candidate& candidate) {
    const auto [place, is_new] = places.try_emplace(name, sets.size());
    if (is_new) sets.push_back({name, {}});
    sets[place->second].second.push_back(candidate);
  }
  [[nodiscard]] const std::vector<Candidate>* find(const std::string& name) const {
    const auto place = places.find(name);
    return place == places.end() ? nullptr : &sets[place->second].second;
  }
};

using SetsByRole = std::map<TensorRole, NamedSets>;

/// The sets of tensors for a use, those with the most layers first.
std::vector<Group> groups_of(const SetsByRole& by_role, const std::string& use) {
  std::vector<Group> groups;
  const TensorRole main = role_of_use(use);
  const auto mains = by_role.find(main);
  if (mains == by_role.end()) return groups;
  for (const auto& [name, found] : mains->second.sets) {
    Group group = {{main, by_layer(found)}};
    for (const TensorRole role : {TensorRole::key, TensorRole::value, TensorRole::output, TensorRole::output_bias,
                                  TensorRole::value_projection}) {
      const auto others = by_role.find(role);
      if (use != kUseQueries || others == by_role.end()) continue;
      // A single set of each role belongs together, whatever the names.
      const bool alone = others->second.sets.size() == 1 && mains->second.sets.size() == 1;
      const std::vector<Candidate>* const of_it =
          alone ? &others->second.sets.front().second : others->second.find(name);
      if (of_it != nullptr) group[role] = by_layer(*of_it);
    }
    if (use != kUseQueries || group.contains(TensorRole::key)) groups.push_back(std::move(group));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const Group& a, const Group& b) { return a.at(main).size() > b.at(main).size(); });
  return groups;
}

}  // namespace

bool has_numbers(const ImportedTensor& tensor) {
  return tensor.trouble.empty() && !tensor.shape.empty() &&
         std::all_of(tensor.shape.begin(), tensor.shape.end(), [](Index size) { return size > 0; });
}

std::string name_in(const ImportedTensors& given, std::size_t which) {
  const std::string& name = given.tensors()[which].name;
  return name.empty() ? std::filesystem::path(given.file()).stem().string() : name;
}

TensorRole role_of_use(const std::string& use) {
  return use == kUseWeights ? TensorRole::weights : use == kUseScores ? TensorRole::scores : TensorRole::query;
}

std::shared_ptr<const TensorSets> make_sets(const ImportedTensors& given) {
  SetsByRole by_role;
  for (const Candidate& each : candidates(given)) {
    if (each.named.role != TensorRole::other) by_role[each.named.role].add(group_of(name_in(given, each.which)), each);
  }
  auto sets = std::make_shared<TensorSets>();
  for (const char* use : {kUseWeights, kUseScores, kUseQueries}) sets->groups[use] = groups_of(by_role, use);
  const bool any = std::ranges::any_of(sets->groups, [](const auto& use) { return !use.second.empty(); });
  const auto parameters =
      std::ranges::count_if(given.tensors(), [](const ImportedTensor& tensor) { return is_parameter(tensor.name); });
  sets->of_model = !any && 2 * parameters > std::ssize(given.tensors());
  sets->shown = std::any_of(given.tensors().begin(), given.tensors().end(), has_numbers);
  return sets;
}

const TensorSets& ImportedTensors::sets() const {
  std::call_once(sets_made_, [this] { sets_ = make_sets(*this); });
  return *sets_;
}

}  // namespace attnscope
