// Experiments on imported tensors, computed.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/imported/imported_layers.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "support/imported_tensors.h"

namespace attnscope::test {

/// "head2,query5,key5"; "none" where the trace does not have the tensor.
inline std::string axes_of(const Trace& trace, const std::string& name) {
  const Step* const step = trace.find(name);
  if (step == nullptr) return "none";
  std::string text;
  for (const Axis& axis : step->axes) text += (text.empty() ? "" : ",") + axis.name + std::to_string(axis.size);
  return text;
}

inline std::shared_ptr<const Trace> trace_on(const std::shared_ptr<MadeTensors>& tensors,
                                             const std::string& axes = "guess") {
  Result<Experiment> experiment = experiment_on(tensors);
  EXPECT_TRUE(experiment) << experiment.error().message;
  experiment->parameters["axes"] = axes;
  const Result<void> valid = validate(*experiment);
  EXPECT_TRUE(valid) << valid.error().message;
  return *run(*experiment);
}

}  // namespace attnscope::test
