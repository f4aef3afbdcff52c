#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/commands_tables.h"
#include "core/experiment/system.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"
#include "io/tokenizers/tokenizer.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;

struct TokensOptions {
  std::string folder;
  std::string text;
  std::optional<std::string> second;
  bool json = false;
};

std::string tokens_json(const TokenizedText& tokens) {
  ordered_json spans = ordered_json::array();
  for (const auto& [from, to] : tokens.spans) spans.push_back({from, to});
  return pretty_json({{"ids", tokens.ids},
                      {"pieces", tokens.pieces},
                      {"spans", std::move(spans)},
                      {"special", tokens.special},
                      {"types", tokens.types}}) +
         "\n";
}

std::string tokens_text(const Tokenizer& tokenizer, const TokenizedText& tokens) {
  std::vector<std::vector<std::string>> rows = {{"token", "id", "piece", "text"}};
  rows.reserve(tokens.ids.size() + 1);
  for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
    rows.push_back({std::to_string(i + 1), std::to_string(tokens.ids[i]), printable(tokens.pieces[i]),
                    "\"" + printable(tokenizer.text_of(tokens.ids[i])) + "\""});
  }
  return table_text(rows);
}

Result<CommandOutput> tokens_command(const TokensOptions& options) {
  std::error_code error;
  if (find_system(options.folder) != nullptr && !std::filesystem::exists(options.folder, error))
    return fail(options.folder + " is a system, and reads no text; allowed: the folder of a model");
  const Result<std::shared_ptr<const Tokenizer>> tokenizer = Tokenizer::read(options.folder);
  if (!tokenizer) return tl::unexpected(tokenizer.error());
  const Result<TokenizedText> tokens = (*tokenizer)->encode(options.text, options.second);
  if (!tokens) return tl::unexpected(tokens.error());
  return CommandOutput{options.json ? tokens_json(*tokens) : tokens_text(**tokenizer, *tokens), {}};
}

}  // namespace

void add_tokens_command(CommandLine& line) {
  const auto options = std::make_shared<TokensOptions>();
  CLI::App& command = line.add("tokens", "Show the tokens of a text, as a model gets them",
                               [options] { return tokens_command(*options); });
  command.add_option("DIR", options->folder, "The folder of a model, with its tokenizer")->type_name("")->required();
  command.add_option("--text", options->text, "The text")->type_name("TEXT")->required();
  command.add_option("--text2", options->second, "The second text of a pair")->type_name("TEXT");
  command.add_flag("--json", options->json, "Print JSON, with the place of each token in bytes of its text");
}

}  // namespace attnscope
