// SentencePiece models: *.model, and Marian's source.spm.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

class Tokenizer;

/// All files in a folder that are SentencePiece models by their extension, in order.
std::vector<std::filesystem::path> sentencepiece_files(const std::filesystem::path& folder, std::error_code& error);

/// The SentencePiece model in a folder, if there is one. Fails if there are several, or one that cannot be read without
/// its tokenizer.json.
Result<std::optional<std::filesystem::path>> find_sentencepiece(const std::filesystem::path& folder);

/// The tokenizer of a SentencePiece model with the other files of its folder. The error names the file.
Result<std::shared_ptr<const Tokenizer>> read_sentencepiece(const std::filesystem::path& file);

}  // namespace attnscope
