// What is added around texts for the model, "[CLS] A [SEP] B [SEP]": the post-processors of tokenizer.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

struct TemplatePart {
  enum class Kind { first_text, second_text, tokens };

  Kind kind = Kind::tokens;
  int type = 0;
  std::vector<int> ids{};  ///< for `tokens`
};

struct TokenTemplate {
  std::vector<TemplatePart> single = {{TemplatePart::Kind::first_text, 0}};
  std::vector<TemplatePart> pair = {{TemplatePart::Kind::first_text, 0}, {TemplatePart::Kind::second_text, 1}};
};

/// The template that `post_processor` describes; null adds nothing.
Result<TokenTemplate> parse_template(const nlohmann::json& value, const std::string& where);

}  // namespace attnscope
