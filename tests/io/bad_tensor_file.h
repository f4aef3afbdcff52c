// A file of tensors with a fault, and the right reaction to it.
#pragma once

#include <string>
#include <vector>

#include "support/tensor_bytes.h"

namespace attnscope::test {

/// The right reaction: refuse the file, refuse to show its tensor, accept it with a warning, accept it.
enum class Outcome { refused, not_viewed, warned, accepted };

inline const char* outcome_text(Outcome outcome) {
  constexpr const char* texts[] = {"refused", "not viewed", "warned", "accepted"};
  return texts[static_cast<int>(outcome)];
}

struct BadFile {
  int number;  // of the kind of trouble
  std::string what;
  Outcome right;
  std::string name;
  std::string bytes;
  std::string says;  // a part of the message or warning
};

using Table = std::vector<BadFile>;

/// The data of most cases.
inline const std::string kFour = float_bytes({1, 2, 3, 4});
/// An archive with one stored array.
inline const std::string kSmallZip = zip_bytes({ZipPart::stored("a.npy", small_npy())});

}  // namespace attnscope::test
