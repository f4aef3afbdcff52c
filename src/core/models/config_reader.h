// What a model's config.json says, checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/model.h"
#include "core/operations/ops.h"

namespace attnscope {

/// In front of the names of fields that stand in preprocessor_config.json.
inline const std::string kPreprocessor = "preprocessor.";

/// A value as messages show it: 4, "gelu", a list.
std::string shown_value(const ConfigValue& value);

/// Reads the fields of a configuration. What is missing or has the wrong type or range becomes `error`; the first one
/// stays, and the reading goes on with a default. Without a default a field is required.
class ConfigReader {
 public:
  /// `model` has to outlive this.
  explicit ConfigReader(const Model& model) : model_(model) {}

  /// A size or a count, from 1 to 2^24.
  Index integer(std::string_view field, std::optional<Index> default_value = {});
  /// A position, from 0 to 2^24.
  Index index(std::string_view field, Index default_value);
  double real(std::string_view field, std::optional<double> default_value = {});
  /// A number above 0.
  double positive(std::string_view field, std::optional<double> default_value = {});
  bool flag(std::string_view field, bool default_value);
  std::string choice(std::string_view field, std::string_view default_value = {});
  [[nodiscard]] const ConfigValue* find(std::string_view field) const;
  /// A list of texts; null if the field is missing.
  const std::vector<std::string>* texts(std::string_view field);
  /// A list of numbers; null if the field is missing.
  const std::vector<double>* numbers(std::string_view field);
  /// The activation that `field` names.
  Activation activation(std::string_view field, std::string_view default_value = {});
  /// Fails unless the number `parts` of `part` divides that of `whole`.
  void divides(std::string_view part, Index parts, std::string_view whole, Index of);
  void fail(std::string message);
  [[nodiscard]] const std::optional<std::string>& error() const { return error_; }

 protected:
  [[nodiscard]] const Model& model() const { return model_; }

 private:
  Index whole_number(std::string_view field, Index least, std::optional<Index> default_value);
  template <typename T>
  const T* typed(std::string_view field, const char* allowed);

  const Model& model_;
  std::optional<std::string> error_;
};

}  // namespace attnscope
