#include "figure/slices/token_names.h"

namespace attnscope {
namespace {

/// The axis has the tokens of the first text, within a decoder that reads it.
bool is_read_from_encoder(std::string_view tensor, const Axis& axis) {
  if (tensor.find(".cross_") == std::string_view::npos) return false;
  return axis.name == "key" || tensor.ends_with("projected_k") || tensor.ends_with("projected_v");
}

}  // namespace

bool counts_tokens(const Axis& axis) { return axis.name == "token" || axis.name == "query" || axis.name == "key"; }

std::string piece_text(const ModelText& text, Index token) {
  const auto at = static_cast<std::size_t>(token);
  return piece_text(at < text.pieces.size() ? std::string_view(text.pieces[at]) : std::string_view(), text.ids[at]);
}

std::string piece_text(std::string_view piece, Index id) {
  constexpr std::string_view kBlank = " \t\n\r";
  const std::size_t first = piece.find_first_not_of(kBlank);
  if (first != std::string_view::npos)
    return std::string(piece.substr(first, piece.find_last_not_of(kBlank) + 1 - first));
  if (piece.empty()) return "#" + std::to_string(id);
  return piece.find('\n') != std::string_view::npos ? "↵" : "␣";
}

const ModelText* counted_text(const Experiment& experiment, std::string_view tensor, const Axis& axis) {
  if (experiment.model == nullptr || !counts_tokens(axis)) return nullptr;
  const bool two_parts = !experiment.text2.ids.empty();
  const bool first = !two_parts || tensor.starts_with("encoder.") || is_read_from_encoder(tensor, axis);
  const ModelText& text = first ? experiment.text : experiment.text2;
  return std::ssize(text.ids) == axis.size ? &text : nullptr;
}

TokenNames::TokenNames(const Experiment& experiment, std::string_view tensor, const Axis& axis)
    : experiment_(experiment), text_(counted_text(experiment, tensor, axis)) {
  const Index first = std::ssize(experiment.text.ids);
  const Index second = std::ssize(experiment.text2.ids);
  if (text_ != nullptr) {
    count_ = std::ssize(text_->ids);
  } else if (experiment.model != nullptr && counts_tokens(axis) && second > 0 && axis.size == first + second) {
    text_ = &experiment.text;
    second_ = &experiment.text2;
    count_ = axis.size;
  } else if (experiment.model == nullptr && counts_tokens(axis)) {
    count_ = std::ssize(experiment.labels);
  }
}

std::optional<std::string> TokenNames::of(Index token) const {
  if (token >= count_) return std::nullopt;
  if (second_ != nullptr && token >= std::ssize(text_->ids))
    return piece_text(*second_, token - std::ssize(text_->ids));
  return text_ != nullptr ? piece_text(*text_, token) : experiment_.labels[static_cast<std::size_t>(token)];
}

}  // namespace attnscope
