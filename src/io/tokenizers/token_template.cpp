#include "io/tokenizers/token_template.h"

#include <optional>
#include <utility>

#include "io/base/json_value.h"
#include "io/tokenizers/fields.h"
#include "io/tokenizers/vocabulary.h"

namespace attnscope {
namespace {

using nlohmann::json;
using Kind = TemplatePart::Kind;

/// The id in ["[SEP]", 102].
int named_id(Fields& fields, const char* name) {
  const json& pair = fields.list(name);
  if (pair.size() == 2 && pair[1].is_number_unsigned() && pair[1].get<std::uint64_t>() <= Vocabulary::kMaxId)
    return pair[1].get<int>();
  fields.refuse(name, "a token and its id");
  return 0;
}

TokenTemplate bert_template(Fields& fields) {
  const std::vector<int> begin = {named_id(fields, "cls")};
  const std::vector<int> end = {named_id(fields, "sep")};
  return {{{Kind::tokens, 0, begin}, {Kind::first_text, 0}, {Kind::tokens, 0, end}},
          {{Kind::tokens, 0, begin},
           {Kind::first_text, 0},
           {Kind::tokens, 0, end},
           {Kind::second_text, 1},
           {Kind::tokens, 1, end}}};
}

TokenTemplate roberta_template(Fields& fields) {
  const std::vector<int> begin = {named_id(fields, "cls")};
  const std::vector<int> end = {named_id(fields, "sep")};
  return {{{Kind::tokens, 0, begin}, {Kind::first_text, 0}, {Kind::tokens, 0, end}},
          {{Kind::tokens, 0, begin},
           {Kind::first_text, 0},
           {Kind::tokens, 0, end},
           {Kind::tokens, 0, end},
           {Kind::second_text, 0},
           {Kind::tokens, 0, end}}};
}

/// The ids of a special token of a template.
std::vector<int> special_ids(Fields& fields, const std::string& name) {
  std::vector<int> ids;
  const json& tokens = fields.object("special_tokens");
  const auto found = tokens.find(name);
  if (found == tokens.end()) {
    fields.refuse("special_tokens", "an object with every special token of the template");
    return ids;
  }
  Fields token(*found, fields.where() + ".special_tokens");
  const json& list = token.list("ids");
  for (const json& id : list) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() > Vocabulary::kMaxId) {
      fields.refuse("special_tokens", "tokens with lists of ids");
      return ids;
    }
    ids.push_back(id.get<int>());
  }
  if (!token.checked()) fields.refuse("special_tokens", "tokens with lists of ids");
  return ids;
}

std::vector<TemplatePart> template_parts(Fields& fields, const char* name) {
  constexpr int kMaxType = 1000;
  std::vector<TemplatePart> parts;
  bool has_text = false;
  for (const json& each : fields.list(name)) {
    const bool is_text = each.is_object() && each.contains("Sequence");
    if (!is_text && !(each.is_object() && each.contains("SpecialToken"))) {
      fields.refuse(name, "a list of Sequence and SpecialToken");
      return parts;
    }
    Fields part(each[is_text ? "Sequence" : "SpecialToken"], fields.where() + "." + name);
    const std::string id = part.text("id");
    const int type = part.number("type_id", kMaxType, 0);
    if (is_text && id != "A" && id != "B") part.refuse("id", "A or B");
    if (!part.checked()) fields.refuse(name, "parts with an id (A or B for a Sequence) and a type_id");
    if (is_text) {
      parts.push_back({id == "A" ? Kind::first_text : Kind::second_text, type});
    } else {
      parts.push_back({Kind::tokens, type, special_ids(fields, id)});
    }
    has_text = has_text || is_text;
  }
  if (!has_text) fields.refuse(name, "a list with a Sequence");
  return parts;
}

Result<TokenTemplate> parse_sequence_of_templates(Fields& fields) {
  TokenTemplate result;
  bool has_template = false;
  const json& list = fields.list("processors");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string where = fields.where() + ".processors[" + std::to_string(i) + "]";
    Result<TokenTemplate> part = parse_template(list[i], where);
    if (!part) return part;
    // This one changes only what is reported as a token's place.
    if (list[i].is_object() && list[i].value("type", json()) == "ByteLevel") continue;
    if (std::exchange(has_template, true)) return fail(where + ": is a second template; allowed: one");
    result = std::move(*part);
  }
  return result;
}

Result<TokenTemplate> parse_known_template(const std::string& type, Fields& fields) {
  if (type == "TemplateProcessing") {
    TokenTemplate result;
    result.single = template_parts(fields, "single");
    result.pair = template_parts(fields, "pair");
    return result;
  }
  if (type == "BertProcessing") return bert_template(fields);
  if (type == "RobertaProcessing") return roberta_template(fields);
  if (type == "Sequence") return parse_sequence_of_templates(fields);
  if (type != "ByteLevel")
    fields.refuse("type", "BertProcessing, ByteLevel, RobertaProcessing, Sequence or TemplateProcessing");
  return TokenTemplate();
}

}  // namespace

Result<TokenTemplate> parse_template(const json& value, const std::string& where) {
  if (value.is_null()) return TokenTemplate();
  Fields fields(value, where);
  Result<TokenTemplate> result = parse_known_template(fields.text("type"), fields);
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  return result;
}

}  // namespace attnscope
