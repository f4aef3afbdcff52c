// Result<T>: a value, or the one line that tells the user what is wrong.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace attnscope {

/// Why something a user asked for could not be done. `message` is one line that names the file, field, value and limit
/// as far as they are known; it ends without a full stop so that callers can put a file name before it.
struct Error {
  /// Whether the request itself was malformed (`usage`: exit code 2) or could not be carried out (`failure`: exit 1).
  enum class Kind { failure, usage };

  std::string message;
  Kind kind = Kind::failure;
};

template <typename T>
using Result = tl::expected<T, Error>;

/// The failing half of a Result, for `return fail("…")`.
inline tl::unexpected<Error> fail(std::string message, Error::Kind kind = Error::Kind::failure) {
  return tl::unexpected<Error>(Error{std::move(message), kind});
}

}  // namespace attnscope
