#include "io/experiments/lesson_fields.h"

#include "io/base/file.h"

namespace attnscope {

using nlohmann::json;

Error error_in(std::string_view where, const Error& error) { return {std::string(where) + error.message, error.kind}; }

tl::unexpected<Error> lesson_not_allowed(std::string_view field, const json& value, std::string_view allowed) {
  return fail(std::string(field) + ": " + json_excerpt(value) + " is not allowed; allowed: " + std::string(allowed));
}

Result<const json*> lesson_member(const json& object, const char* name, std::string_view allowed) {
  const auto found = object.find(name);
  if (found == object.end()) return fail(std::string(name) + " is missing; allowed: " + std::string(allowed));
  return &*found;
}

Result<void> read_lesson_text(const json& object, const char* name, std::size_t most, std::string& to) {
  const std::string allowed = "a string of 1 to " + std::to_string(most) + " bytes";
  const Result<const json*> value = lesson_member(object, name, allowed);
  if (!value) return tl::unexpected(value.error());
  const auto* text = (*value)->get_ptr<const std::string*>();
  if (text == nullptr || text->empty() || text->size() > most) return lesson_not_allowed(name, **value, allowed);
  to = *text;
  return {};
}

Result<const json*> lesson_steps(const json& object) {
  const std::string some = "a list of 1 to " + std::to_string(kMaxLessonSteps) + " steps";
  Result<const json*> steps = lesson_member(object, "steps", some);
  if (!steps) return steps;
  if (!(*steps)->is_array() || (*steps)->empty() || (*steps)->size() > kMaxLessonSteps)
    return lesson_not_allowed("steps", **steps, some);
  return steps;
}

Result<json> lesson_document(std::string_view text, std::string_view format, std::string_view what) {
  const std::string allowed = "\"" + std::string(format) + "\"";
  if (text.empty()) return fail("the file is empty; allowed: " + std::string(what) + ", format " + allowed);
  if (const std::string other = stand_in(text); !other.empty()) return fail("this is " + other);
  Result<json> document = parse_json(text, kLessonJson);
  if (!document) return document;
  if (!document->is_object()) return fail("the file holds " + json_excerpt(*document) + "; allowed: an object");
  const Result<const json*> found = lesson_member(*document, "format", allowed);
  if (!found) return tl::unexpected(found.error());
  if (**found != format) return lesson_not_allowed("format", **found, allowed);
  return document;
}

}  // namespace attnscope
