// What the heads of a trained model do over several texts: the mean of every measure, and how far it varies.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/experiment/experiment.h"
#include "core/heads/measure_averages.h"

namespace attnscope {

/// One of the texts.
struct StudyText {
  std::string name;  ///< what messages call it: "line 3"
  std::string text;
};

/// The experiment in which the model reads a text, accepted by `validate`; or why the model cannot read it. The same text
/// gives the same experiment.
using ReadText = std::function<Result<Experiment>(const std::string& text)>;

/// What is known of the texts before the model reads them.
struct CheckedTexts {
  struct Attention {
    std::string tensor;  ///< the weights: "layer1.weights"
    Index layer = 1;     ///< from 1; of its part, in a model with two
    /// About how many operations the effective ranks of its heads take, all texts together.
    double rank_operations = 0;
  };

  std::vector<Attention> attentions;  ///< in the order of the computation
  Index fewest_tokens = 0;            ///< of a text: the first one, in a model that reads two
  Index most_tokens = 0;
};

/// Whether the model can read all texts, of which there is at least one. The error names the first text that it cannot
/// read: its name, how it begins, and the reason. Also fails if stopped.
Result<CheckedTexts> check_texts(std::span<const StudyText> texts, const ReadText& read, const StopToken& stop = {});

/// The measures of an attention, to whose averages each text counts the same however long it is.
struct AttentionAverages {
  std::string tensor;
  Index layer = 1;
  std::vector<MeasureAverages> heads;
  MeasureAverages uniform;  ///< of uniform attention under the mask of each text
};

struct TextStudy {
  std::vector<AttentionAverages> attentions;  ///< in the order of the computation
  Index rows_left_out = 0;                    ///< rows with weights that are not finite, of all heads and texts
  std::vector<std::string> warnings;          ///< about the first text that has any; each begins with its name
};

struct TextStudyChoice {
  double memory_budget = kDefaultMemoryBudget;  ///< bytes, as for Executor
  std::optional<Index> layer = {};              ///< measure only this one; nothing: all
  bool rank = false;                            ///< the effective rank, which takes far longer than all other measures
  StopToken stop = {};
  std::function<void(Index text, Index texts)> progress = {};  ///< before each text, from 1; may be empty
};

/// Measures all heads of the model on each text, one text after the other: the memory is that of one text at a time. Fails
/// if the weights cannot be read, if memory runs out, or if stopped. Precondition: `check_texts` accepts the texts.
Result<TextStudy> study_texts(std::span<const StudyText> texts, const ReadText& read, const TextStudyChoice& choice);

}  // namespace attnscope
