// How a step makes its tensor: operations, and what every operation says about itself.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/plan/region.h"
#include "core/plan/step_context.h"

namespace attnscope {

struct StepInPlan;
struct StepPart;
struct ExplainedCell;
struct Explanation;

/// Properties that decide how a plan is run.
struct OperationTraits {
  bool draws = false;           ///< takes the next numbers of the seed's sequence; `StepContext::generator` gives them
  bool restarts_draws = false;  ///< takes the first numbers of another seed, and those that follow it the next
  std::uint64_t discards = 0;   ///< so many numbers of the sequence are thrown away before it takes any
  bool uses_seed = false;       ///< depends on the seed without taking a number of that sequence
  bool reads_file = false;      ///< its numbers can be read again at any time
  bool fills_infinities = false;  ///< puts ±∞ or NaN into its result on purpose
  bool switches_heads = false;    ///< sets heads of its axis "head" to 0
  bool is_weight = false;         ///< a weight of a trained model, which the model's own file holds
  bool is_compact = false;        ///< takes less room in its file than in memory
};

/// A number that replaces the one an operation makes.
struct EditedNumber {
  Index at = 0;  ///< position in the tensor
  float value = 0;
  friend bool operator==(const EditedNumber&, const EditedNumber&) = default;
};

class Operation;

/// What every operation can do. A record implements it with member functions of the same names; see `Operation`.
class OperationFunctions {
 public:
  OperationFunctions(const OperationFunctions&) = delete;
  OperationFunctions& operator=(const OperationFunctions&) = delete;
  virtual ~OperationFunctions() = default;

  /// "contract", "mask", …: its name in messages and in JSON.
  [[nodiscard]] virtual std::string name() const = 0;
  /// With axis names for indices: "Σ_dim q[head, query, dim] · k[head, key, dim] / √7".
  [[nodiscard]] virtual std::string formula(const StepInPlan& step) const = 0;

  /// Fills `out`, which has the step's axes and any content.
  virtual void compute(Inputs inputs, const StepContext& context, Tensor& out) const = 0;
  /// What the numbers of `region` are computed from: a box for each input, the smallest that holds all cells that
  /// count.
  [[nodiscard]] virtual std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const = 0;
  /// Fills `out` with the numbers of `part.region`, bit for bit those of the whole result; `inputs` are the boxes
  /// `part.sources`. If a record lacks this function, `compute` makes the part from those boxes: correct when the boxes
  /// have the shape of the part, and a number does not depend on its place in the tensor. Steps without inputs are
  /// always resident, unless `traits` says that they can be read again; for parts of those, see `has_parts`.
  virtual void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const = 0;
  /// Whether the record has that function. Of a step without inputs whose record lacks it, no part can be made.
  [[nodiscard]] virtual bool has_parts() const = 0;

  /// An upper bound of the magnitudes of a result with those axes, given such bounds for its inputs. Infinite where
  /// nothing is known; finite only if no number can be NaN or ±∞, except what the operation fills in on purpose.
  [[nodiscard]] virtual double magnitude_bound(const Axes& axes, std::span<const double> inputs) const = 0;

  /// How one number came about: fills in `formula` and `computed`, and what applies of `note`, `operands`, `terms` and
  /// `results`. The rest is filled in already.
  virtual void explain(const ExplainedCell& cell, Explanation& explanation) const = 0;

  // A record may leave out the following functions.

  [[nodiscard]] const OperationTraits& traits() const { return traits_; }
  /// What the user should know about the tensor `name`, one sentence each.
  [[nodiscard]] virtual std::vector<std::string> warnings(const std::string& name) const = 0;
  /// Whether it makes the numbers that `last` made, wherever both results have a cell with the same inputs: the same but
  /// for the sizes.
  [[nodiscard]] virtual bool continues(const Operation& last) const = 0;
  /// The same in PyTorch, as an expression of its inputs, which are expressions themselves. Every operation that models
  /// are recorded with has it.
  [[nodiscard]] virtual std::string python(const StepInPlan& step, std::span<const std::string> inputs) const = 0;
  /// The same operation with those numbers in place of its own. Every operation that draws has it, and
  /// every weight of a trained model.
  [[nodiscard]] virtual Operation with_numbers(std::vector<EditedNumber> numbers) const = 0;

 protected:
  OperationFunctions(const void* type, const OperationTraits& traits) : type_(type), traits_(traits) {}

 private:
  friend class Operation;
  /// `other` has a record of the same type.
  [[nodiscard]] virtual bool equals(const OperationFunctions& other) const = 0;

  const void* type_;  ///< another one for each type of record
  OperationTraits traits_;
};

template <typename Record>
class RecordFunctions;

/// Any operation: a value made from a record, which is a struct with `operator==` and the functions above. Copies share
/// the record, which never changes.
class Operation {
 public:
  template <typename Record>
  requires(!std::is_same_v<Record, Operation>)
      Operation(Record record);  // NOLINT(google-explicit-constructor): every record is an operation

  const OperationFunctions* operator->() const { return functions_.get(); }

  /// The record, if it is of that type; null otherwise.
  template <typename Record>
  [[nodiscard]] const Record* as() const {
    using Functions = RecordFunctions<Record>;
    return functions_->type_ == Functions::type() ? &static_cast<const Functions&>(*functions_).record() : nullptr;
  }

  bool operator==(const Operation& other) const {
    return functions_ == other.functions_ ||
           (functions_->type_ == other.functions_->type_ && functions_->equals(*other.functions_));
  }

 private:
  std::shared_ptr<const OperationFunctions> functions_;
};

/// The operation's record, if it is of that type; null otherwise. For code that recognizes particular operations.
template <typename Record>
const Record* as(const Operation& operation) {
  return operation.as<Record>();
}

template <typename Record>
bool is(const Operation& operation) {
  return operation.as<Record>() != nullptr;
}

/// The functions of a record's type.
template <typename Record>
class RecordFunctions final : public OperationFunctions {
 public:
  explicit RecordFunctions(Record record) : OperationFunctions(type(), traits_of(record)), record_(std::move(record)) {}

  static constexpr bool kHasParts =
      requires(const Record& record, const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) {
    record.compute_part(part, inputs, context, out);
  };

  /// The address of something that every type of record has one of: comparing two is quicker than RTTI.
  static const void* type() {
    static char one;
    return &one;
  }
  [[nodiscard]] const Record& record() const { return record_; }

  [[nodiscard]] std::string name() const override { return record_.name(); }
  [[nodiscard]] std::string formula(const StepInPlan& step) const override { return record_.formula(step); }
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const override {
    record_.compute(inputs, context, out);
  }
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const override {
    return record_.input_regions(step, region);
  }
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const override {
    if constexpr (kHasParts) {
      record_.compute_part(part, inputs, context, out);
    } else {
      record_.compute(inputs, context, out);
    }
  }
  [[nodiscard]] bool has_parts() const override { return kHasParts; }
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const override {
    return record_.magnitude_bound(axes, inputs);
  }
  void explain(const ExplainedCell& cell, Explanation& explanation) const override {
    record_.explain(cell, explanation);
  }
  [[nodiscard]] std::vector<std::string> warnings(const std::string& name) const override {
    if constexpr (requires { record_.warnings(name); }) {
      return record_.warnings(name);
    } else {
      return {};
    }
  }
  [[nodiscard]] bool continues(const Operation& last) const override {
    const auto* const other = last.as<Record>();
    if constexpr (requires { record_.continues(*other); }) {
      return other != nullptr && record_.continues(*other);
    } else {
      return other != nullptr && *other == record_;
    }
  }
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const override {
    if constexpr (requires { record_.python(step, inputs); }) {
      return record_.python(step, inputs);
    } else {
      return {};
    }
  }
  [[nodiscard]] Operation with_numbers(std::vector<EditedNumber> numbers) const override {
    if constexpr (requires { record_.with_numbers(std::move(numbers)); }) {
      return record_.with_numbers(std::move(numbers));
    } else {
      return record_;
    }
  }

 private:
  static OperationTraits traits_of(const Record& record) {
    if constexpr (requires { record.traits(); }) {
      return record.traits();
    } else {
      return {};
    }
  }
  [[nodiscard]] bool equals(const OperationFunctions& other) const override {
    return record_ == static_cast<const RecordFunctions&>(other).record_;
  }

  Record record_;
};

template <typename Record>
requires(!std::is_same_v<Record, Operation>) Operation::Operation(Record record)
    : functions_(std::make_shared<const RecordFunctions<Record>>(std::move(record))) {}

}  // namespace attnscope
