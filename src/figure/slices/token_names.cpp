#include "figure/slices/token_names.h"

#include "core/base/text.h"
#include "core/experiment/intervention.h"
#include "core/imported/imported_labels.h"

namespace attnscope {
namespace {

/// The axis has the tokens of the first text, within a decoder that reads it.
bool is_read_from_encoder(std::string_view tensor, const Axis& axis) {
  if (tensor.find(".cross_") == std::string_view::npos) return false;
  return axis.name == "key" || tensor.ends_with("projected_k") || tensor.ends_with("projected_v");
}

/// The weights [query, key] of the tensor's layer; null: there are none.
const Step* weights_beside(const Trace& trace, std::string_view tensor) {
  const std::size_t dot = tensor.rfind('.');
  const std::string prefix(tensor.substr(0, dot == std::string_view::npos ? 0 : dot + 1));
  const Step* const weights = trace.find(prefix + "weights");
  return weights == nullptr || weights->axes.size() < 2 ? nullptr : weights;
}

/// Whether the labels of the experiment are those of this axis, of queries or of keys.
bool labels_belong_to(const Trace& trace, std::string_view tensor, const Axis& axis) {
  if (axis.name == "token") return true;
  const Step* const weights = weights_beside(trace, tensor);
  if (weights == nullptr) return true;
  const Axis& queries = weights->axes[weights->axes.size() - 2];
  const Axis& keys = weights->axes.back();
  if (queries.name != "query" || queries.size == keys.size) return true;
  const bool of_keys = std::ssize(trace.experiment().labels) == keys.size;
  return of_keys == (axis.name == "key");
}

/// The labels of a system's tokens: those of the experiment, otherwise those in the file of its tensors.
std::span<const std::string> labels_along(const Trace& trace, std::string_view tensor, const Axis& axis, Index item) {
  const Experiment& experiment = trace.experiment();
  if (!counts_tokens(axis)) return {};
  if (!experiment.labels.empty())
    return labels_belong_to(trace, tensor, axis) ? std::span(experiment.labels) : std::span<const std::string>();
  const Step* const weights = weights_beside(trace, tensor);
  if (experiment.tensors == nullptr || weights == nullptr) return {};
  const Axes& axes = weights->axes;
  const Axis* const batch = find_axis(axes, "batch");
  const LabelledSizes sizes = {batch != nullptr ? batch->size : 1, axes[axes.size() - 2].size, axes.back().size};
  return labels_in_file(*experiment.tensors, sizes, axis.name == "key", item);
}

/// What is read first on the way to that tensor, of which it takes off that it belongs to the text to patch from.
const ModelText& first_text(const Experiment& experiment, std::string_view& tensor) {
  return take_prefix(tensor, kPatchPrefix) ? experiment.patch_text : experiment.text;
}

}  // namespace

bool counts_tokens(const Axis& axis) { return axis.name == "token" || axis.name == "query" || axis.name == "key"; }

std::string visible_token(std::string_view token) {
  constexpr std::string_view kBlank = " \t\n\r";
  if (token.empty()) return "(empty)";
  const std::size_t first = token.find_first_not_of(kBlank);
  if (first == std::string_view::npos) {
    if (token.find_first_of("\n\r") != std::string_view::npos) return "↵";
    return token.find('\t') != std::string_view::npos ? "⇥" : "␣";
  }
  std::string shown;
  for (const char c : token.substr(first, token.find_last_not_of(kBlank) + 1 - first)) {
    if (c == '\n' || c == '\r') {
      shown += "↵";
    } else if (c == '\t') {
      shown += "⇥";
    } else {
      shown += c;
    }
  }
  return shown;
}

std::string piece_text(const ModelText& text, Index token) {
  const auto at = static_cast<std::size_t>(token);
  return piece_text(at < text.pieces.size() ? std::string_view(text.pieces[at]) : std::string_view(), text.ids[at]);
}

std::string piece_text(std::string_view piece, Index id) {
  return piece.empty() ? "#" + std::to_string(id) : visible_token(piece);
}

std::string vocabulary_text(std::string_view piece, Index id) {
  const bool spaced =
      piece.size() > 1 && piece.front() == ' ' && piece.find_first_not_of(' ') != std::string_view::npos;
  return (spaced ? "␣" : "") + piece_text(piece, id);
}

const ModelText* counted_text(const Experiment& experiment, std::string_view tensor, const Axis& axis) {
  if (experiment.model == nullptr || !counts_tokens(axis)) return nullptr;
  const bool two_parts = !experiment.text2.ids.empty();
  const ModelText& read = first_text(experiment, tensor);
  const bool first = !two_parts || tensor.starts_with("encoder.") || is_read_from_encoder(tensor, axis);
  const ModelText& text = first ? read : experiment.text2;
  return std::ssize(text.ids) == axis.size ? &text : nullptr;
}

TokenNames::TokenNames(const Trace& trace, std::string_view tensor, const Axis& axis, Index item)
    : text_(counted_text(trace.experiment(), tensor, axis)) {
  const Experiment& experiment = trace.experiment();
  const ModelText& first_read = first_text(experiment, tensor);
  const Index first = std::ssize(first_read.ids);
  const Index second = std::ssize(experiment.text2.ids);
  if (text_ != nullptr) {
    count_ = std::ssize(text_->ids);
  } else if (experiment.model != nullptr && counts_tokens(axis) && second > 0 && axis.size == first + second) {
    text_ = &first_read;
    second_ = &experiment.text2;
    count_ = axis.size;
  } else if (experiment.model == nullptr) {
    labels_ = labels_along(trace, tensor, axis, item);
    count_ = std::ssize(labels_);
  }
}

std::optional<std::string> TokenNames::of(Index token) const {
  if (token >= count_) return std::nullopt;
  if (second_ != nullptr && token >= std::ssize(text_->ids))
    return piece_text(*second_, token - std::ssize(text_->ids));
  return text_ != nullptr ? piece_text(*text_, token) : visible_token(labels_[static_cast<std::size_t>(token)]);
}

std::vector<const ModelText*> TokenNames::texts() const {
  std::vector<const ModelText*> all;
  for (const ModelText* const text : {text_, second_}) {
    if (text != nullptr) all.push_back(text);
  }
  return all;
}

}  // namespace attnscope
