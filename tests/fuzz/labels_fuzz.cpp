// Labels and texts, in files that are called JSON and in others.
#include "io/experiments/experiment_file.h"
#include "io/experiments/labels_file.h"
#include "io/experiments/texts_file.h"
#include "io/models/model_texts.h"
#include "read_everything.h"

namespace {

using attnscope::fuzz::require;

void check_error(const attnscope::Error& error, const std::string& name) {
  require(error.message.starts_with(name + ": "));
  require(error.message.find('\n') == std::string::npos);
}

void read_texts(std::string_view bytes, const std::string& name) {
  const auto texts = attnscope::parse_texts(bytes, name);
  if (!texts) return check_error(texts.error(), name);
  require(!texts->empty() && texts->size() <= attnscope::kMaxTexts);
  for (const attnscope::StudyText& each : *texts)
    require(!each.name.empty() && each.text.size() <= attnscope::kMaxTextBytes);
}

void read_labels(std::string_view bytes, const std::string& name) {
  const auto labels = attnscope::parse_labels(bytes, name);
  if (!labels) return check_error(labels.error(), name);
  require(!labels->empty() && labels->size() <= attnscope::kMaxLabels);
  for (const std::string& label : *labels) require(label.size() <= attnscope::kMaxLabelBytes);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"fuzz.json", "fuzz.txt"}) {
    read_labels(bytes, name);
    read_texts(bytes, name);
  }
  return 0;
}
