// What the tests of a session do again and again.
#pragma once

#include <gtest/gtest.h>

#include "app/session/session.h"

namespace attnscope {

inline Experiment example_to_edit() { return *default_experiment("worked-example"); }

inline Action set(const char* name, ParameterValue value, std::uint64_t gesture = 0) {
  return {SetParameter{name, std::move(value)}, gesture};
}

/// How often Undo changes something.
inline int undo_all(Session& session) {
  int steps = 0;
  while (session.can_undo()) {
    EXPECT_TRUE(session.apply({Undo{}, 0}));
    ++steps;
  }
  return steps;
}

}  // namespace attnscope
