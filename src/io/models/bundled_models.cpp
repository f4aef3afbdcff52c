#include "io/models/bundled_models.h"

#include <algorithm>
#include <sstream>
#include <system_error>

#include "core/base/result.h"
#include "core/base/utf8.h"
#include "io/base/data_files.h"
#include "io/base/file.h"
#include "io/base/printable.h"
#include "io/models/model_folder.h"

namespace attnscope {

namespace {

/// The first sentence of a model card: what stands below its title.
std::string first_sentence(const std::filesystem::path& card) {
  constexpr std::uint64_t kMaxCardBytes = 1'000'000;
  const Result<std::string> text = read_file(card, kMaxCardBytes);
  if (!text || !is_utf8(*text)) return {};
  std::istringstream lines(*text);
  std::string sentence;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#') || (line.empty() && sentence.empty())) continue;
    if (line.empty()) break;
    sentence += (sentence.empty() ? "" : " ") + line;
  }
  std::erase(sentence, '`');
  const std::size_t end = sentence.find(". ");
  return printable(sentence.substr(0, end == std::string::npos ? end : end + 1));
}

}  // namespace

std::vector<BundledModel> models_in(const std::filesystem::path& folder) {
  std::vector<BundledModel> models;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code unreadable;
    if (std::filesystem::is_regular_file(entry->path() / kConfigFile, unreadable))
      models.push_back({entry->path().filename().string(), entry->path(), first_sentence(entry->path() / "README.md")});
  }
  std::ranges::sort(models, {}, &BundledModel::name);
  return models;
}

std::vector<BundledModel> bundled_models() {
  const Result<std::filesystem::path> folder = data_file("assets/models");
  return folder ? models_in(*folder) : std::vector<BundledModel>();
}

}  // namespace attnscope
