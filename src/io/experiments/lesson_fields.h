// What lessons and their translations have in common: limits, and fields that are read strictly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "io/base/json_value.h"

namespace attnscope {

inline constexpr std::uint64_t kMaxLessonBytes = 2'000'000;
inline constexpr JsonLimits kLessonJson = {32, 200'000};
inline constexpr std::size_t kMaxLessonSteps = 60;
inline constexpr std::size_t kMaxLessonLine = 200;  ///< bytes of a title
inline constexpr std::size_t kMaxLessonText = 4000;

/// The error with the place in front of its message.
Error error_in(std::string_view where, const Error& error);

tl::unexpected<Error> lesson_not_allowed(std::string_view field, const nlohmann::json& value, std::string_view allowed);

/// The member of that name; an error if it is missing.
Result<const nlohmann::json*> lesson_member(const nlohmann::json& object, const char* name, std::string_view allowed);

/// A string of 1 to `most` bytes.
Result<void> read_lesson_text(const nlohmann::json& object, const char* name, std::size_t most, std::string& to);

/// 1 to `kMaxLessonSteps` of them.
Result<const nlohmann::json*> lesson_steps(const nlohmann::json& object);

/// The file's object with the format that it has to have; `what` says in words what that is.
Result<nlohmann::json> lesson_document(std::string_view text, std::string_view format, std::string_view what);

}  // namespace attnscope
