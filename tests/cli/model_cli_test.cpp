// Commands on a trained model.
#include <nlohmann/json.hpp>

#include "refusal.h"
#include "support/tiny_model.h"
#include "traced.h"

namespace attnscope::test {
namespace {

/// How often `part` is in `text`.
int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// The values of a tensor with a batch of 1 and heads behind positions, in front of which heads were.
nlohmann::json heads_in_front(const nlohmann::json& values) {
  nlohmann::json moved;
  for (std::size_t head = 0; head < values.at(0).at(0).size(); ++head) {
    for (std::size_t position = 0; position < values.at(0).size(); ++position)
      moved[head][position] = values.at(0).at(position).at(head);
  }
  return moved;
}

TEST(CliModels, WhatIsWrongNamesTheFolderOnce) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  const std::string model = folder.path().string();
  const std::string experiment =
      folder.file("own.json", R"({"format": "attnscope-experiment/1", "system": "transformer", "model": "."})")
          .string();
  for (const std::string& name : {model, experiment}) {
    for (const char* const tokens : {"1,2,7", "1,1,1,1,1,1"}) {
      const Outcome outcome = run_program({"metrics", name, "--tokens", tokens});
      EXPECT_EQ(outcome.code, 1) << outcome.err;
      EXPECT_EQ(count_of(outcome.err, model), name == model ? 1 : 2) << outcome.err;
    }
  }
  expect_refused({"metrics", model, "--text", "a"}, 1, {"attnscope: text: " + model + ": no tokenizer"});
}

TEST(CliModels, AScriptSaysWhichTextItsTokensAre) {
  const std::string model = std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/stories";
  const std::string script = run_program({"script", model, "--text", "Once \"upon\"\n\\ a time"}).out;
  EXPECT_EQ(count_of(script, R"(text = "Once \"upon\"\x0a\\ a time")"), 1) << script;
  EXPECT_EQ(count_of(script, "\ntokens = ["), 1);
  const std::string of_ids = run_program({"script", model, "--tokens", "1,2,3"}).out;
  EXPECT_EQ(count_of(of_ids, "\ntext = "), 0);
}

TEST(CliModels, TracesHaveTheNamesAndTheLayoutOfTransformerLens) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  const std::string model = folder.path().string();
  const nlohmann::json ours = traced(folder, model, {"--tokens", "1,2,3"});
  const nlohmann::json theirs = traced(folder, model, {"--tokens", "1,2,3", "--names", "transformer-lens"});
  EXPECT_EQ(theirs.size(), 19U);
  for (const auto& [name, hook] :
       std::vector<std::pair<std::string, std::string>>{{"token_embeddings", "hook_embed"},
                                                        {"position_embeddings", "hook_pos_embed"},
                                                        {"embedded", "blocks.0.hook_resid_pre"},
                                                        {"layer1.normed", "blocks.0.ln1.hook_normalized"},
                                                        {"layer1.masked_scores", "blocks.0.attn.hook_attn_scores"},
                                                        {"layer1.weights", "blocks.0.attn.hook_pattern"},
                                                        {"layer1.attention_out", "blocks.0.hook_attn_out"},
                                                        {"layer1.middle", "blocks.0.hook_resid_mid"},
                                                        {"layer1.mlp_normed", "blocks.0.ln2.hook_normalized"},
                                                        {"layer1.mlp_hidden", "blocks.0.mlp.hook_pre"},
                                                        {"layer1.mlp_activated", "blocks.0.mlp.hook_post"},
                                                        {"layer1.mlp_out", "blocks.0.hook_mlp_out"},
                                                        {"layer1.out", "blocks.0.hook_resid_post"},
                                                        {"final", "ln_final.hook_normalized"},
                                                        {"logits", "logits"}}) {
    ASSERT_TRUE(theirs.contains(hook)) << hook;
    EXPECT_EQ(theirs[hook]["values"], nlohmann::json::array({ours[name]["values"]})) << hook;
  }
  for (const auto& [name, hook] : std::vector<std::pair<std::string, std::string>>{
           {"q", "hook_q"}, {"k", "hook_k"}, {"v", "hook_v"}, {"head_outputs", "hook_z"}}) {
    const nlohmann::json& moved = theirs.at("blocks.0.attn." + hook);
    EXPECT_EQ(moved["shape"], nlohmann::json({1, 3, 2, 2})) << hook;
    EXPECT_EQ(heads_in_front(moved["values"]), ours.at("layer1." + name)["values"]) << hook;
  }
}

TEST(CliModels, ResidualStreamsBetweenLayersHaveBothNamesOfTransformerLens) {
  const TemporaryFolder folder;
  const std::string data = ATTNSCOPE_SOURCE_DIR "/tests/golden/models/data/";
  const Arguments names = {"--tokens", "1,2,3", "--names", "transformer-lens"};
  const nlohmann::json neox = traced(folder, data + "gpt_neox-1", names);
  EXPECT_EQ(neox.at("blocks.0.hook_resid_post"), neox.at("blocks.1.hook_resid_pre"));
  EXPECT_TRUE(neox.contains("blocks.1.attn.hook_rot_q"));
  EXPECT_FALSE(neox.contains("blocks.2.hook_resid_pre"));
  const nlohmann::json bert = traced(folder, data + "bert-1", names);
  for (const char* const name : {"embed.hook_token_type_embed", "hook_full_embed", "blocks.1.hook_resid_mid",
                                 "blocks.1.hook_resid_post", "blocks.1.hook_normalized_resid_post"})
    EXPECT_TRUE(bert.contains(name)) << name;
  EXPECT_EQ(bert.at("blocks.0.hook_normalized_resid_post"), bert.at("blocks.1.hook_resid_pre"));
  Arguments both = names;
  both.insert(both.end(), {"--tokens2", "1,2"});
  const nlohmann::json t5 = traced(folder, data + "t5-1", both);
  EXPECT_EQ(t5.at("decoder.1.cross_attn.hook_pattern")["shape"], nlohmann::json({1, 3, 2, 3}));
  for (const char* const name : {"encoder.0.attn.hook_attn_scores", "decoder.0.hook_resid_mid_cross",
                                 "decoder.1.mlp.hook_pre_linear", "decoder.1.hook_resid_pre"})
    EXPECT_TRUE(t5.contains(name)) << name;
  EXPECT_FALSE(t5.contains("encoder.0.ln1.hook_normalized")) << "an RMS norm";
}

TEST(CliModels, HooksOfTransformerLensHaveWhatInterventionsMade) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  const std::string model = folder.path().string();
  const Arguments options = {"--tokens",   "1,2,3",          "--off", "layer1.head2", "--patched",
                             "layer1.mlp", "--patch-tokens", "3,1,2", "--names",      "transformer-lens"};
  const nlohmann::json theirs = traced(folder, model, options);
  for (const nlohmann::json& position : theirs.at("blocks.0.attn.hook_z").at("values").at(0)) {
    for (const nlohmann::json& number : position.at(1)) EXPECT_EQ(number, 0);
  }
  const nlohmann::json other = traced(folder, model, {"--tokens", "3,1,2"});
  EXPECT_EQ(theirs.at("blocks.0.hook_mlp_out").at("values").at(0), other.at("layer1.mlp_out").at("values"));
  for (const auto& [name, tensor] : theirs.items()) {
    EXPECT_FALSE(name.starts_with("patch.")) << name;
    EXPECT_EQ(name.find("changed"), std::string::npos) << name;
  }
}

TEST(CliModels, NamesOfTransformerLensAreForModels) {
  const TemporaryFolder folder;
  const std::string output = (folder / "out.npz").string();
  expect_refused({"trace", "worked-example", "-o", output, "--names", "transformer-lens"}, 2,
                 {"--names transformer-lens is for trained models; worked-example is not one"});
  expect_refused({"trace", "worked-example", "-o", output, "--names", "lens"}, 2,
                 {"--names \"lens\" is not allowed; allowed: transformer-lens"});
  expect_refused({"trace", "worked-example", "-o", output, "--only", "scores", "--names", "transformer-lens"}, 2,
                 {"--names and --only exclude each other"});
}

TEST(CliModels, FiguresShowWhatAModelReadsAndSays) {
  const TemporaryFolder folder;
  const std::string models = ATTNSCOPE_SOURCE_DIR "/assets/models/";
  const auto figure = [&](const std::string& model, const std::string& view, Arguments options) {
    const std::string output = (folder / "figure.svg").string();
    Arguments arguments = {"figure", models + model, "--view", view, "-o", output};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    // The picture, without the caption before it.
    const std::string svg = bytes_of(output);
    return svg.substr(svg.find("</desc>"));
  };
  const std::string text =
      figure("dates", "text", {"--text", "3 may 1979", "--option", "layer=4", "--option", "position=3"});
  for (const char* const word :
       {"attends to: decoder layer 1, cross-attention, head 1", ">queries<", ">keys<", ">may<"})
    EXPECT_GE(count_of(text, word), 1) << word;
  const std::string next = figure("stories", "next", {"--text", "Anna gave the ball to Ben ."});
  for (const char* const word : {"Next token after", "What each layer would say", "probability", "layer 4, output"})
    EXPECT_EQ(count_of(next, word), 1 + (word == std::string("probability") ? 1 : 0)) << word;
  const std::string parts = figure("stories", "contributions",
                                   {"--option", "position=2", "--option", "token=11", "--option", "other_token=8"});
  for (const char* const word : {"The parts sum to", "minus that of", "held fixed"})
    EXPECT_EQ(count_of(parts, word), 1) << word;
  const std::string output = (folder / "none.svg").string();
  const std::string matters = figure("dates", "importance", {"--option", "with=mean"});
  for (const char* const row : {"encoder layer 2", "decoder layer 1", "decoder layer 1, cross"})
    EXPECT_NE(matters.find(row), std::string::npos) << row;
  expect_refused({"figure", models + "dates", "--view", "contributions", "-o", output}, 1,
                 {"Every layer of this model normalizes the sum"});
  expect_refused({"figure", models + "stories", "--view", "contributions", "--option", "token=290", "-o", output}, 1,
                 {"token: 290", "0 to 289"});
  expect_refused({"figure", models + "stories", "--view", "next", "--option", "position=-1", "-o", output}, 2,
                 {"position: -1"});
}

TEST(CliModels, HeadsOfTwoTextsCanBeThoseOfOneKind) {
  const TemporaryFolder folder;
  const std::string output = (folder / "heads.svg").string();
  const std::vector<std::string> self = {"encoder layer 1", "encoder layer 2", "decoder layer 1", "decoder layer 2"};
  const std::vector<std::string> cross = {"decoder layer 1, cross-attention", "decoder layer 2, cross-attention"};
  for (const auto& [attention, sentence, has_self, has_cross] :
       {std::tuple("both", "encoder, decoder and cross-attention for", true, true),
        std::tuple("self", "encoder and decoder for", true, false),
        std::tuple("cross", "of cross-attention for", false, true)}) {
    const Outcome outcome = run_program({"figure", ATTNSCOPE_SOURCE_DIR "/assets/models/dates", "--view", "heads",
                                         "--option", "attention=" + std::string(attention), "--caption", "-o", output});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(sentence), std::string::npos) << attention << ": " << outcome.out;
    const std::string svg = bytes_of(output);
    for (const std::string& row : self) EXPECT_EQ(count_of(svg, ">" + row + "<"), has_self ? 1 : 0) << attention << row;
    for (const std::string& row : cross)
      EXPECT_EQ(count_of(svg, ">" + row + "<"), has_cross ? 1 : 0) << attention << row;
    const std::string count = has_self && has_cross ? "6" : has_self ? "4" : "2";
    EXPECT_EQ(count_of(svg, count + " attentions, 4 heads each"), 1) << attention;
  }
}

TEST(CliModels, ACheckpointThatCannotBeReadIsNamed) {
  const TemporaryFolder folder;
  const std::filesystem::path model = folder / "induction";
  std::filesystem::copy(ATTNSCOPE_SOURCE_DIR "/assets/models/induction", model,
                        std::filesystem::copy_options::recursive);
  const std::string output = (folder / "training.svg").string();
  for (const char* const of : {"of=text", "of=random"})
    EXPECT_EQ(run_program({"figure", model.string(), "--view", "training", "--option", of, "-o", output}).code, 0);
  std::filesystem::resize_file(model / "checkpoints/step-000700/model.safetensors", 1000);
  for (const char* const of : {"of=text", "of=random"})
    expect_refused({"figure", model.string(), "--view", "training", "--option", of, "-o", output}, 1,
                   {"step-000700", "model.safetensors"});
}

TEST(CliModels, PartsAreSwitchedOffReplacedAndPatched) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  const std::string model = folder.path().string();
  const nlohmann::json plain = traced(folder, model, {"--tokens", "1,2,3"});
  const nlohmann::json other = traced(folder, model, {"--tokens", "3,1,2"});
  const nlohmann::json off = traced(folder, model, {"--tokens", "1,2,3", "--off", "layer1.head1"});
  for (const nlohmann::json& row : off.at("layer1.changed_head_outputs").at("values").at(0)) {
    for (const nlohmann::json& number : row) EXPECT_EQ(number, 0);
  }
  EXPECT_EQ(off.at("layer1.head_outputs"), plain.at("layer1.head_outputs"));
  EXPECT_NE(off.at("logits"), plain.at("logits"));
  const nlohmann::json patched =
      traced(folder, model, {"--tokens", "1,2,3", "--patched", "layer1.out@2", "--patch-tokens", "3,1,2"});
  EXPECT_EQ(patched.at("layer1.changed_out").at("values").at(1), other.at("layer1.out").at("values").at(1));
  EXPECT_EQ(patched.at("layer1.changed_out").at("values").at(0), plain.at("layer1.out").at("values").at(0));

  const std::string saved = folder.file("saved.json", R"({"format": "attnscope-experiment/1", "system": "transformer",
      "model": ".", "tokens": [1, 2, 3], "patch_tokens": [3, 1, 2],
      "interventions": [{"tensor": "layer1.out", "position": 1, "with": "patched"}]})");
  EXPECT_EQ(traced(folder, saved, {}), patched);
  // What the command says of the same part counts.
  EXPECT_NE(traced(folder, saved, {"--off", "layer1.out@2"}), patched);
}

TEST(CliModels, TwoTextsAreCompared) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  const std::string model = folder.path().string();
  const std::string output = (folder / "out.svg").string();
  const Arguments view = {"figure", model, "--tokens", "1,2,3", "--view", "compare", "-o", output, "--caption"};
  const auto compared = [&](Arguments options) {
    options.insert(options.begin(), view.begin(), view.end());
    const Outcome outcome = run_program(options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  const std::string caption = compared({"--pinned-tokens", "3,1,2", "--off", "layer1.head1"});
  EXPECT_NE(caption.find("text [1, 2, 3]; layer1.head1 off;"), std::string::npos) << caption;
  const std::size_t baseline = caption.find("compared with");
  EXPECT_NE(caption.find("text [3, 1, 2]; layer1.head1 off", baseline), std::string::npos) << caption;
  // The figure keeps both, and a model can be named with another text.
  EXPECT_EQ(run_program({"figure", output, "-o", (folder / "again.svg").string(), "--caption"}).out, caption);
  EXPECT_EQ(compared({"--pinned", model, "--pinned-tokens", "3,1,2"}), compared({"--pinned-tokens", "3,1,2"}));
  EXPECT_NE(compared({"--pinned", model}), compared({"--pinned-tokens", "3,1,2"}));

  const auto refused = [&](Arguments options, int code, const std::vector<std::string>& parts) {
    options.insert(options.begin(), view.begin(), view.end());
    expect_refused(options, code, parts);
  };
  refused({"--pinned-tokens", "1,99"}, 1, {"--pinned-tokens: ", "the token id 99"});
  refused({"--pinned-tokens", "a"}, 2, {"--pinned-tokens: \"a\" is not allowed"});
  expect_refused({"figure", model, "--view", "heads", "--pinned-tokens", "1", "-o", output}, 2,
                 {"--pinned-tokens: the view heads does not compare"});
  expect_refused({"figure", "worked-example", "--view", "compare", "--pinned-text", "a", "-o", output}, 2,
                 {"--pinned-text: allowed only with a model"});
}

TEST(CliModels, ScoresAreMasked) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  const std::string model = folder.path().string();
  const nlohmann::json plain = traced(folder, model, {"--tokens", "1,2,3"}).at("layer1.weights").at("values").at(0);
  const nlohmann::json one = traced(folder, model, {"--tokens", "1,2,3", "--masked", "layer1.head1@3:2"});
  const nlohmann::json& now = one.at("layer1.weights").at("values").at(0);
  EXPECT_EQ(now.at(1), plain.at(1)) << "another query";
  EXPECT_EQ(now.at(2).at(1), 0);
  EXPECT_NEAR(now.at(2).at(0).get<double>(), plain.at(2).at(0).get<double>() / (1 - plain.at(2).at(1).get<double>()),
              1e-6);
  const nlohmann::json every = traced(folder, model, {"--tokens", "1,2,3", "--masked", "layer1.head1@*:1"});
  for (const nlohmann::json& row : every.at("layer1.weights").at("values").at(0)) EXPECT_EQ(row.at(0), 0);
  EXPECT_EQ(every.at("layer1.weights").at("values").at(0).at(1).at(1), 1) << "the only key that is left";

  const std::string saved = folder.file("saved.json", R"({"format": "attnscope-experiment/1", "system": "transformer",
      "model": ".", "tokens": [1, 2, 3],
      "interventions": [{"tensor": "layer1.scores", "head": 0, "position": 2, "key": 1, "with": "masked"}]})");
  EXPECT_EQ(traced(folder, saved, {}), one);
}

TEST(CliModels, InterventionsThatCannotBeAreRefused) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  const std::string model = folder.path().string();
  expect_refused({"metrics", model, "--off", "head3"}, 2,
                 {"attnscope: --off: \"head3\" is not allowed; allowed: layer2.head3"});
  expect_refused({"metrics", model, "--off", "layer7.mlp"}, 1, {"interventions: this model has no layer7.mlp"});
  expect_refused({"metrics", model, "--tokens", "1,2", "--mean", "layer1.head1", "--off", "layer1.head1"}, 2,
                 {"--mean: layer1.head1 is off already; allowed: one intervention on each part"});
  expect_refused({"metrics", model, "--patched", "layer1.out"}, 1, {"there is no text to patch from"});
  expect_refused({"metrics", model, "--patched", "layer1.out", "--patch-text", "a"}, 1,
                 {"patch_text: ", "no tokenizer"});
  expect_refused({"metrics", model, "--patched", "layer1.out", "--patch-tokens", "1,99"}, 1,
                 {"patch_text: the token id 99"});
  expect_refused({"metrics", model, "--masked", "layer1.head1"}, 2,
                 {"--masked: layer1.head1 is not allowed; allowed: a key of one query or of all: layer2.head3@5:2"});
  expect_refused({"metrics", model, "--off", "layer1.head1@2:1"}, 2,
                 {"--off: layer1.head1@2:1 is not allowed; allowed: a part without a key"});
  expect_refused({"metrics", model, "--tokens", "1,2", "--masked", "layer1.head1@3:1"}, 1,
                 {"interventions: layer1.head1@3:1: there is no query 3; allowed: 1 to 2"});
  expect_refused({"metrics", "worked-example", "--mean", "layer1.out"}, 2,
                 {"attnscope: --mean: allowed only with a model"});
  const auto wrong = [&](const char* interventions) {
    return folder
        .file("wrong.json", std::string(R"({"format": "attnscope-experiment/1", "system": "transformer",
        "model": ".", "tokens": [1, 2], "interventions": )") +
                                interventions + "}")
        .string();
  };
  for (const auto& [list, message] : {
           std::pair(R"({})", "interventions: an object is not allowed; allowed: a list of objects"),
           {R"([1])",
            "interventions[0]: 1 is not allowed; allowed: an object with tensor, head, position, key and with"},
           {R"([{"with": "off"}])", "interventions[0].tensor is missing; allowed: the name of a tensor"},
           {R"([{"tensor": 3, "with": "off"}])",
            "interventions[0].tensor: 3 is not allowed; allowed: the name of a tensor"},
           {R"([{"tensor": "layer1.out"}])", "interventions[0].with is missing; allowed: off, mean, patched, masked"},
           {R"([{"tensor": "layer1.out", "with": "on"}])",
            "interventions[0].with: \"on\" is not allowed; allowed: off, mean, patched, masked"},
           {R"([{"tensor": "layer1.scores", "head": 0, "key": 1, "with": "off"}])",
            "interventions: layer1.scores is off; allowed: masked"},
           {R"([{"tensor": "layer1.scores", "head": 0, "key": "1", "with": "masked"}])",
            "interventions[0].key: \"1\" is not allowed"},
           {R"([{"tensor": "layer1.head_outputs", "head": -1, "with": "off"}])",
            "interventions[0].head: -1 is not allowed"},
           {R"([{"tensor": "layer1.out", "position": 2.5, "with": "off"}])",
            "interventions[0].position: 2.5 is not allowed"},
           {R"([{"tensor": "layer1.out", "with": "off", "how": 1}])", "interventions[0]: "},
           {R"([{"tensor": "logits", "with": "off"}])", "interventions: tensor: \"logits\" is not allowed"},
       }) {
    SCOPED_TRACE(list);
    expect_refused({"metrics", wrong(list)}, 1, {message});
  }
}

// A small model knows few words, and reads the same token for all others: whoever makes a figure of them has to know.
TEST(CliModels, WarnOfUnknownWords) {
  const TemporaryFolder folder;
  const std::string model = ATTNSCOPE_SOURCE_DIR "/assets/models/stories";
  const std::string warning =
      "attnscope: warning: text: 2 of 4 tokens are \"<unk>\": the vocabulary has no such words\n";
  for (const char* const command : {"metrics", "trace"}) {
    Arguments arguments = {command, model, "--text", "Anna met zebras quickly"};
    if (command == std::string("trace")) arguments.insert(arguments.end(), {"-o", (folder / "trace.json").string()});
    EXPECT_NE(run_program(arguments).err.find(warning), std::string::npos) << command;
  }
  EXPECT_EQ(run_program({"metrics", model, "--text", "Anna met Ben"}).err.find("<unk>"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test
