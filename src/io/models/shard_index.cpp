#include "io/models/shard_index.h"

#include "core/base/text.h"
#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr JsonLimits kIndexLimits = {16, 1'000'000};

/// Whether `name` is that of a file in the same folder.
bool is_plain(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

Result<ShardIndex> parse_shard_index(std::string_view text) {
  if (text.empty()) return fail("the file is empty; allowed: an object with weight_map");
  if (const std::string what = stand_in(text); !what.empty()) return fail("this is " + what);
  const Result<json> document = parse_json(text, kIndexLimits);
  if (!document) return tl::unexpected(document.error());
  if (!document->is_object()) return fail("the file holds " + json_excerpt(*document) + "; allowed: an object");
  const auto found = document->find("weight_map");
  if (found == document->end()) return fail("weight_map is missing; allowed: an object of tensors and their files");
  if (!found->is_object() || found->empty()) {
    return fail("weight_map: " + (found->is_object() ? "an empty object" : json_excerpt(*found)) +
                " is not allowed; allowed: an object of tensors and their files");
  }
  ShardIndex index;
  for (const auto& [tensor, file] : found->items()) {
    if (!file.is_string() || !is_plain(file.get_ref<const std::string&>())) {
      return fail("weight_map: " + attnscope::quoted_text(tensor) + ": " + json_excerpt(file) +
                  " is not allowed; allowed: the name of a file in the same folder");
    }
    index[file.get<std::string>()].push_back(tensor);
    if (index.size() > kMaxShards)
      return fail("weight_map: more than " + std::to_string(kMaxShards) + " files are not allowed");
  }
  return index;
}

Result<ShardIndex> read_shard_index(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file, kMaxIndexBytes);
  if (!text) return tl::unexpected(text.error());
  Result<ShardIndex> index = parse_shard_index(*text);
  if (!index) return fail(path_text(file) + ": " + index.error().message);
  return index;
}

}  // namespace attnscope
