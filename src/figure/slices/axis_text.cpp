#include "figure/slices/axis_text.h"

#include "figure/model/figure.h"
#include "figure/slices/token_names.h"
#include "figure/slices/token_picture.h"
#include "figure/style/font_metrics.h"

namespace attnscope {
namespace {

// The largest width of a label in a line of text; logical pixels.
constexpr double kMaxInSentence = 600;

/// " (row 1, column 4)" where the tokens are pixels or patches.
std::string place_text(const Trace& trace, const Axis& axis, Index position) {
  if (!counts_tokens(axis)) return "";
  const std::optional<TokenPicture> picture = token_picture(trace);
  if (!picture || axis.size != picture->tokens()) return "";
  if (position < picture->first) return " (class token)";
  const Index place = position - picture->first;
  return " (row " + position_number(place / picture->columns) + ", column " +
         position_number(place % picture->columns) + ")";
}

/// The token that an entry of the vocabulary stands for.
std::optional<std::string> vocabulary_word(const Trace& trace, const Axis& axis, Index id) {
  const std::shared_ptr<const Model>& model = trace.experiment().model;
  if (model == nullptr || axis.name != "vocabulary") return std::nullopt;
  return shortened_text(vocabulary_text(model->token_text(id), id), kMaxInSentence, TypeSize::kSmall);
}

/// Whether another token of the axis has the same name.
bool is_repeated(const Trace& trace, std::string_view tensor, const Axis& axis, Index token, Index item) {
  const TokenNames names(trace, tensor, axis, item);
  const std::optional<std::string> name = names.of(token);
  for (Index other = 0; name && other < axis.size; ++other) {
    if (other != token && names.of(other) == name) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> label_of(const Trace& trace, std::string_view tensor, const Axis& axis, Index token,
                                    Index item) {
  const std::optional<std::string> name = TokenNames(trace, tensor, axis, item).of(token);
  if (!name) return std::nullopt;
  return shortened_text(*name, kMaxInSentence, TypeSize::kSmall);
}

std::string token_text(const Trace& trace, std::string_view tensor, const Axis& axis, Index token, Index item) {
  const std::optional<std::string> label = label_of(trace, tensor, axis, token, item);
  return label ? "“" + *label + "”" : position_number(token);
}

std::string entry_text(const Trace& trace, std::string_view tensor, const Axis& axis, Index position, Index item) {
  if (const auto word = vocabulary_word(trace, axis, position)) return *word + " (" + std::to_string(position) + ")";
  const std::optional<std::string> label = label_of(trace, tensor, axis, position, item);
  if (!label) return axis.name + " " + position_number(position);
  return is_repeated(trace, tensor, axis, position, item) ? *label + " (" + position_number(position) + ")" : *label;
}

std::string axis_position_text(const Trace& trace, std::string_view tensor, const Axis& axis, Index position,
                               Index item) {
  const std::string name = axis.name == "batch" ? "item" : axis.name;
  if (const auto word = vocabulary_word(trace, axis, position))
    return "“" + *word + "”, id " + std::to_string(position);
  if (label_of(trace, tensor, axis, position, item)) {
    return name + " " + token_text(trace, tensor, axis, position, item) +
           (is_repeated(trace, tensor, axis, position, item) ? " (" + position_number(position) + ")" : "");
  }
  return name + " " + position_number(position) + place_text(trace, axis, position);
}

}  // namespace attnscope
