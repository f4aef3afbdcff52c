#include "core/operations/import.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/base/python_text.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

// Numbers that have to be reordered are read in parts of this many: 16 MB.
constexpr Index kNumbersReadInAdvance = Index{1} << 22U;

// A thread reads at least so many numbers at a time: half a megabyte.
constexpr Index kNumbersOfAThread = Index{1} << 17U;

// What reading a number and converting it costs, about.
constexpr double kOperationsPerNumber = 8;

/// A box of the tensor, with the axes of the file.
struct FileBox {
  std::vector<Index> begin;
  std::vector<Index> end;

  [[nodiscard]] Index count() const {
    Index count = 1;
    for (std::size_t axis = 0; axis < begin.size(); ++axis) count *= end[axis] - begin[axis];
    return count;
  }

  /// The first axis with more than one index; a box of one number has the last.
  [[nodiscard]] std::size_t slowest() const {
    std::size_t axis = 0;
    while (axis + 1 < begin.size() && end[axis] - begin[axis] == 1) ++axis;
    return axis;
  }
};

FileBox box_in_file(const ImportOperation& operation, const Region& region) {
  FileBox box = {operation.at, operation.at};
  for (Index& each : box.end) ++each;
  for (std::size_t i = 0; i < operation.axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(operation.axes[i]);
    box.begin[axis] = region.begin[i];
    box.end[axis] = region.end[i];
  }
  return box;
}

/// Copies the numbers of `part` of `whole`, which come in the order of the file, to their places in the result.
void put_in_order(const ImportOperation& operation, const FileBox& whole, const FileBox& part,
                  std::span<const float> read, Tensor& out) {
  // Per axis of the file, the stride in the result.
  std::vector<Index> apart(part.begin.size(), 0);
  for (std::size_t i = 0; i < operation.axes.size(); ++i)
    apart[static_cast<std::size_t>(operation.axes[i])] = out.stride(static_cast<int>(i));
  Index to = 0;
  for (std::size_t axis = 0; axis < apart.size(); ++axis) to += (part.begin[axis] - whole.begin[axis]) * apart[axis];
  std::vector<Index> index = part.begin;
  for (const float number : read) {
    out.values()[static_cast<std::size_t>(to)] = number;
    for (std::size_t axis = index.size(); axis-- > 0;) {
      to += apart[axis];
      if (++index[axis] < part.end[axis]) break;
      to -= (part.end[axis] - part.begin[axis]) * apart[axis];
      index[axis] = part.begin[axis];
    }
  }
}

/// Reads a box that `numbers` has in the order of the file; threads share it.
template <typename Read>
Result<void> read_in_parts(const FileBox& whole, std::span<float> numbers, const StepContext& context,
                           const Read& read) {
  const Index count = std::ssize(numbers);
  if (count < 2 * kNumbersOfAThread) return read(whole, numbers);
  const std::size_t slowest = whole.slowest();
  const Index rows = whole.end[slowest] - whole.begin[slowest];
  const Index each = count / rows;
  const Index at_once = std::max<Index>(1, kNumbersOfAThread / each);
  ReadFailure failure;
  run_blocks(context.pool, kOperationsPerNumber * static_cast<double>(count), (rows + at_once - 1) / at_once,
             [&](Index block) {
               const Index first = block * at_once;
               const Index some = std::min(at_once, rows - first);
               FileBox part = whole;
               part.begin[slowest] += first;
               part.end[slowest] = part.begin[slowest] + some;
               const std::span<float> out =
                   numbers.subspan(static_cast<std::size_t>(first * each), static_cast<std::size_t>(some * each));
               if (failure.any()) return;
               if (const Result<void> done = read(part, out); !done) failure.note(done.error().message);
             });
  if (const std::optional<std::string> message = failure.message()) return fail(*message);
  return {};
}

Result<void> read_box(const ImportOperation& operation, const Region& region, const StepContext& context, Tensor& out) {
  const auto read = [&](const FileBox& box, std::span<float> numbers) {
    return operation.from->read(operation.which, box.begin, box.end, numbers, context.stop);
  };
  const FileBox whole = box_in_file(operation, region);
  if (out.count() == 0) return {};
  if (std::is_sorted(operation.axes.begin(), operation.axes.end()))
    return read_in_parts(whole, out.values(), context, read);
  const std::size_t slowest = whole.slowest();
  const Index each = whole.count() / (whole.end[slowest] - whole.begin[slowest]);
  const Index at_once = std::max<Index>(1, kNumbersReadInAdvance / each);
  std::vector<float> numbers;
  for (Index begin = whole.begin[slowest]; begin < whole.end[slowest]; begin += at_once) {
    FileBox part = whole;
    part.begin[slowest] = begin;
    part.end[slowest] = std::min(begin + at_once, whole.end[slowest]);
    numbers.resize(static_cast<std::size_t>(part.count()));
    if (Result<void> done = read(part, numbers); !done) return done;
    put_in_order(operation, whole, part, numbers, out);
  }
  return {};
}

}  // namespace

OperationTraits ImportOperation::traits() const {
  const std::string type = from->type(which);
  return {.reads_file = true, .is_weight = is_weight, .is_compact = type == "F16" || type == "BF16"};
}

std::string ImportOperation::formula(const StepInPlan& /*step*/) const {
  const std::string& tensor = from->tensors()[which].name;
  // The explanation's note names the folder.
  const std::string file = from->file();
  return "from " + file.substr(file.rfind('/') + 1) + (tensor.empty() ? "" : ", " + tensor);
}

bool ImportOperation::is_edited(Index at_number) const {
  return std::ranges::any_of(edits, [&](const EditedNumber& each) { return each.at == at_number; });
}

ImportOperation ImportOperation::with_numbers(std::vector<EditedNumber> numbers) const {
  ImportOperation edited = *this;
  edited.edits = std::move(numbers);
  return edited;
}

void ImportOperation::read(const Region& region, const Axes& whole, const StepContext& context, Tensor& out) const {
  const Result<void> done = read_box(*this, region, context, out);
  if (done) {
    for (const EditedNumber& each : edits) {
      std::vector<Index> index = index_in(whole, each.at);
      if (!region.contains(index)) continue;
      for (std::size_t axis = 0; axis < index.size(); ++axis) index[axis] -= region.begin[axis];
      out.values()[static_cast<std::size_t>(out.offset(index))] = each.value;
    }
    return;
  }
  // Whoever looks before the failure is noticed must not find a number.
  std::fill(out.values().begin(), out.values().end(), std::numeric_limits<float>::quiet_NaN());
  if (context.failure != nullptr && !context.stop.stop_requested()) context.failure->note(done.error().message);
}

void ImportOperation::compute(Inputs /*inputs*/, const StepContext& context, Tensor& out) const {
  read(whole_region(0, out.axes()), out.axes(), context, out);
}

std::vector<Region> ImportOperation::input_regions(const StepInPlan& /*step*/, const Region& /*region*/) const {
  return {};
}

void ImportOperation::compute_part(const StepPart& part, Inputs /*inputs*/, const StepContext& context,
                                   Tensor& out) const {
  read(part.region, part.step.axes, context, out);
}

double ImportOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> /*inputs*/) const {
  return std::numeric_limits<double>::infinity();
}

void ImportOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  std::vector<Index> place = at;
  for (std::size_t i = 0; i < axes.size(); ++i) place[static_cast<std::size_t>(axes[i])] = cell.index[i];
  e.formula = formula(cell);
  e.note = (is_edited(offset_in(cell.step.axes, cell.index)) ? "edited; replaces " : "imported: ") +
           from->tensors()[which].name + index_text(place) + " of " + from->file();
  e.computed = e.value;
}

std::string ImportOperation::python(const StepInPlan& step, std::span<const std::string> /*inputs*/) const {
  assert(std::is_sorted(axes.begin(), axes.end()) && axes.size() == at.size());
  std::string given = "given[" + python_text(from->python_name(which)) + "]";
  if (edits.empty()) return given;
  std::vector<std::string> numbers;
  for (const EditedNumber& each : edits) {
    std::vector<std::string> index;
    for (const Index number : index_in(step.step.axes, each.at)) index.push_back(std::to_string(number));
    numbers.push_back("((" + join(index, ", ") + ",), " + python_number(static_cast<double>(each.value)) + ")");
  }
  return "edited(" + given + ", [" + join(numbers, ", ") + "])";
}

}  // namespace attnscope
