// Small experiments on every system that touch every parameter.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/plan/validate.h"

namespace attnscope::test {

/// "worked-example heads=2 mask=causal": the experiment of a failing test.
inline std::string description(const Experiment& experiment) {
  std::string text = experiment.system + " seed=" + std::to_string(experiment.seed);
  for (const auto& [name, value] : experiment.parameters) text += " " + name + "=" + value_text(value);
  return text;
}

/// The experiment with another value of a parameter.
inline Experiment set(Experiment experiment, const char* name, const char* text) {
  EXPECT_TRUE(set_parameter_text(experiment, name, text));
  return experiment;
}

/// The system's default experiment with small sizes where possible.
inline Experiment small_experiment(const System& system) {
  Experiment experiment = *default_experiment(system.name);
  for (const Parameter& parameter : system.parameters) {
    if (parameter.kind != Parameter::Kind::integer || experiment.integer(parameter.name) <= 9) continue;
    const bool picture_side = parameter.name == "height" || parameter.name == "width";
    Experiment smaller = experiment;
    for (const Index size : {picture_side ? Index{3} : parameter.name == "batch" ? Index{2} : Index{8}, Index{16}}) {
      if (size < static_cast<Index>(parameter.minimum)) continue;
      smaller.parameters[parameter.name] = size;
      if (!validate(smaller)) continue;
      experiment = smaller;
      break;
    }
  }
  return experiment;
}

/// `experiment` with one setting changed, if the result is valid.
inline void add_variation(std::vector<Experiment>& list, Experiment experiment,
                          const std::vector<std::pair<std::string, std::string>>& settings) {
  for (const auto& [name, text] : settings) {
    if (!set_parameter_text(experiment, name, text)) return;
  }
  if (validate(experiment)) list.push_back(std::move(experiment));
}

inline std::vector<Experiment> variations() {
  std::vector<Experiment> list;
  for (const System& system : systems()) {
    const Experiment base = small_experiment(system);
    list.push_back(base);
    add_variation(list, base, {{"seed", "7"}, {"discard", "5"}, {"temperature", "2.5"}});
    add_variation(list, base, {{"mask", "causal"}});
    add_variation(list, base, {{"mask", "causal"}, {"masked_fill", "-inf"}, {"dropout", "0.3"}});
    add_variation(list, base, {{"mask", "window:1"}, {"temperature", "0.1"}});
    add_variation(list, base, {{"mask", "padding:0"}});
    add_variation(list, base, {{"mask", "padding:0"}, {"masked_fill", "-inf"}});
    add_variation(list, base, {{"mask", "padding:2"}, {"masked_fill", "-2.5"}});
    add_variation(list, base, {{"dropout", "0.5"}});
    if (const Index heads = switchable_heads(base); heads > 0) {
      list.push_back(base);
      for (Index head = heads > 1 ? 1 : 0; head < heads; head += 2) list.back().heads_off.push_back(head);
    }
    for (const Parameter& parameter : system.parameters) {
      for (const std::string& choice : parameter.choices) add_variation(list, base, {{parameter.name, choice}});
      if (parameter.name == "picture") {
        Experiment given = base;
        given.picture = ColorPicture{2, 1, {230, 90, 40, 20, 60, 160}};
        add_variation(list, given, {{"picture", "file"}});
      }
      if (parameter.kind != Parameter::Kind::integer) continue;
      add_variation(list, base, {{parameter.name, exact_text(parameter.minimum)}});
      add_variation(list, base, {{parameter.name, "3"}});
    }
  }
  return list;
}

}  // namespace attnscope::test
