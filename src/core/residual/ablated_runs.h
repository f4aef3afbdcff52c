// A model computed several times at once, each time with another part replaced.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/experiment/intervention.h"
#include "core/residual/residual_stream.h"

namespace attnscope {

/// Runs from one step of a trace to its logits at one position. The trace and the stream must outlive it.
class AblatedRuns {
 public:
  /// `other`: a trace with the same steps, for parts that are patched; may be null, and must outlive it too.
  AblatedRuns(const Trace& trace, const ResidualStream& stream, Index position, const Trace* other,
              const StopToken& stop);

  /// A part that one run replaces; the step is the part's, after interventions.
  struct Part {
    int step = 0;
    Index head = -1;      ///< −1: the tensor has no heads
    Index position = -1;  ///< −1: all
    Intervention::Kind kind = Intervention::Kind::off;
  };
  /// The logits [run, vocabulary] of as many runs as there are parts. Null if stopped.
  std::shared_ptr<const Tensor> logits(const std::vector<Part>& parts);

  /// How many runs fit into one call: more take more memory, and are no faster.
  [[nodiscard]] Index most_at_once() const;

 private:
  /// The results of a step in all runs: rows of all runs one after the other, or a tensor for each run.
  struct Results {
    std::shared_ptr<const Tensor> stacked;  ///< [run·row, …]
    std::vector<std::shared_ptr<const Tensor>> each;
  };

  [[nodiscard]] const PlannedStep& planned(int step) const;
  /// Whether each row of a step is computed from the same row of its changed inputs.
  [[nodiscard]] bool is_rowwise(int step) const;
  void find_changed(const std::vector<Part>& parts);
  void compute_rows(int step);
  void compute_each(int step);
  /// Replaces the step's part in those runs that replace it.
  void replace(int step, const std::vector<Part>& parts);
  /// `whole` with the part replaced.
  std::shared_ptr<const Tensor> replaced(const Part& part, const Tensor& whole);

  [[nodiscard]] bool picks_row(int step) const { return step > last_mixed_; }
  /// The step in all runs as rows: those of each run, or only the one at the position.
  std::shared_ptr<const Tensor> rows_of(int step, bool picked);
  std::shared_ptr<const Tensor> of_run(int step, std::size_t run);
  std::shared_ptr<const Tensor> unchanged(int step);

  const Trace& trace_;
  const ResidualStream& stream_;
  Index position_ = 0;
  const Trace* other_ = nullptr;
  StopToken stop_;
  ThreadPool pool_;
  StepContext context_;
  std::size_t runs_ = 0;
  std::vector<bool> needed_;   ///< per step: the logits depend on it
  std::vector<bool> changed_;  ///< per step: it depends on a replaced part
  int last_mixed_ = -1;        ///< the last changed step that is not computed row by row
  std::map<int, Results> results_;
};

}  // namespace attnscope
