// Folders of models with faults: each is refused in one line that says what is wrong where. tests/bad_inputs.txt counts
// them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <memory>

#include "io/models/model_file.h"
#include "support/tiny_model.h"

namespace attnscope::wrong_models {
namespace {

namespace fs = std::filesystem;

using test::kTinyConfig;
using test::Shapes;
using test::TemporaryFolder;
using test::tiny_shapes;
using test::weights_file;

using Spoil = std::function<void(const TemporaryFolder&)>;

/// A model with a fault, and the message, in which DIR is its folder.
struct WrongFolder {
  const char* name;
  Spoil spoil;
  std::string says;
};

const std::string kPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
const std::string kPage = "<!DOCTYPE html><html></html>";

constexpr const char* kConfigFile = "config.json";
constexpr const char* kWeightsFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";

/// The bytes are shared: every test's process copies the list of all faults several times.
Spoil with_file(const std::string& name, std::string bytes) {
  return [name, shared = std::make_shared<const std::string>(std::move(bytes))](const TemporaryFolder& folder) {
    folder.file(name, *shared);
  };
}

Spoil with_config(std::string bytes) { return with_file(kConfigFile, std::move(bytes)); }

Spoil with_weights(std::string bytes) { return with_file(kWeightsFile, std::move(bytes)); }

Spoil without_file(const std::string& name) {
  return [=](const TemporaryFolder& folder) { fs::remove(folder / name); };
}

/// `make` makes something else in place of the file.
Spoil instead_of(const std::string& name, const std::function<void(const fs::path&)>& make) {
  return [=](const TemporaryFolder& folder) {
    fs::remove(folder / name);
    make(folder / name);
  };
}

void make_link_to_itself(const fs::path& path) { fs::create_symlink(path.filename(), path); }
void make_link_to_nothing(const fs::path& path) { fs::create_symlink("gone", path); }
void make_folder(const fs::path& path) { fs::create_directory(path); }
void make_pipe(const fs::path& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); }

/// The index in place of the weights, which then lie in model-1.safetensors.
Spoil with_index(const std::string& bytes) {
  return [=](const TemporaryFolder& folder) {
    fs::rename(folder / kWeightsFile, folder / "model-1.safetensors");
    folder.file(kIndexFile, bytes);
  };
}

/// The configuration of GPT-2 with one field changed or added.
Spoil with_field(const std::string& name, const std::string& value) {
  std::string config = kTinyConfig;
  const std::string key = "\"" + name + "\": ";
  const std::size_t found = config.find(key);
  if (found == std::string::npos) return with_config(config.substr(0, config.size() - 1) + ", " + key + value + "}");
  const std::size_t begin = found + key.size();
  return with_config(config.replace(begin, config.find_first_of(",}", begin) - begin, value));
}

Spoil without_tensor(const std::string& name) {
  Shapes shapes = tiny_shapes();
  shapes.erase(name);
  return with_weights(weights_file(shapes));
}

Spoil with_shape(const std::string& name, std::vector<int> shape) {
  Shapes shapes = tiny_shapes();
  shapes[name] = std::move(shape);
  return with_weights(weights_file(shapes));
}

Spoil with_names(const std::string& prefix) {
  Shapes shapes;
  for (const auto& [name, shape] : tiny_shapes()) shapes[prefix + name] = shape;
  return with_weights(weights_file(shapes));
}

Spoil with_two_files(const std::string& name) {
  return [=](const TemporaryFolder& folder) {
    fs::rename(folder / kWeightsFile, folder / "a.safetensors");
    folder.file(name, "");
  };
}

/// Without what its family does not change.
std::string bert(const std::string& fields) {
  return R"({"model_type": "bert", "hidden_size": 4, "num_attention_heads": 2, "num_hidden_layers": 1, )"
         R"("intermediate_size": 8, "vocab_size": 7, "max_position_embeddings": 8, )" +
         fields + "}";
}

std::string llama(const std::string& fields) {
  return R"({"model_type": "llama", "vocab_size": 7, "hidden_size": 8, "intermediate_size": 8,
    "num_hidden_layers": 1, )" +
         fields + "}";
}

std::string vit(const std::string& fields) {
  return R"({"model_type": "vit", "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1,
    "num_attention_heads": 2, )" +
         fields + "}";
}

std::string t5(const std::string& fields) {
  return R"({"model_type": "t5", "vocab_size": 7, "d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1,
    "num_heads": 2, )" +
         fields + "}";
}

std::vector<WrongFolder> wrong_configs() {
  return {
      {"ConfigMissing", without_file(kConfigFile),
       "DIR: no config.json; needs the folder of a model with config.json and model.safetensors"},
      {"ConfigEmpty", with_config(""), "DIR/config.json: the file is empty; allowed: the configuration of a model"},
      {"ConfigCutOff", with_config("{\"model_type\": "), "DIR/config.json: line 1, column 15: unexpected end of input"},
      {"ConfigAList", with_config("[1]"), "DIR/config.json: the file holds a list; allowed: an object"},
      {"ConfigTooLong", [](const TemporaryFolder& folder) { folder.file(kConfigFile, std::string(2'000'000, ' ')); },
       "DIR/config.json: the file has 2.0 MB; allowed: 1.0 MB"},
      {"ConfigNested", with_config(std::string(100, '[')),
       "DIR/config.json: line 1, column 17: more than 16 nested brackets"},
      {"ConfigAPointer", with_config(kPointer),
       R"(DIR/config.json: this is a Git-LFS pointer, not the file itself; "git lfs pull" fetches that)"},
      {"ConfigAPage", with_config(kPage),
       "DIR/config.json: this is an HTML page, not the file itself; the download went wrong"},
      {"ConfigNotUtf8", with_config("{\"model_type\": \"\xff\"}"),
       "DIR/config.json: line 1, column 17: invalid string: ill-formed UTF-8 byte"},
      {"ConfigAFolder", instead_of(kConfigFile, make_folder), "DIR/config.json: is a folder, not a file"},
      {"ConfigAPipe", instead_of(kConfigFile, make_pipe), "DIR/config.json: is a pipe, not a file"},
      {"ConfigALinkToItself", instead_of(kConfigFile, make_link_to_itself),
       "DIR/config.json: Too many levels of symbolic links"},
      {"ConfigALinkToNothing", instead_of(kConfigFile, make_link_to_nothing),
       "DIR/config.json: No such file or directory"},
      {"FieldTwice", with_field("model_type", R"("gpt2", "model_type": "gpt2")"),
       R"(DIR/config.json: line 1, column 35: the key "model_type" appears twice)"},
      {"FieldTwiceInAnObject", with_config(R"({"a": {"b": 1}, "a.b": 2})"),
       "DIR/config.json: a.b: appears twice, once as a field of an object; allowed: once"},
      {"FamilyMissing", with_config("{}"),
       "DIR: config.json: model_type is missing; allowed: gpt2, gpt_neox, llama, mistral, qwen2, qwen3, bert, roberta, "
       "distilbert, bart, marian, t5, attention-only, vit"},
      {"FamilyANumber", with_field("model_type", "3"),
       "DIR: config.json: model_type: 3 is not a known family; allowed: gpt2, gpt_neox, llama, mistral, qwen2, qwen3, "
       "bert, roberta, distilbert, bart, marian, t5, attention-only, vit"},
      {"FamilyUnknown", with_field("model_type", "\"mamba\""),
       R"(DIR: config.json: model_type: "mamba" is not a known family; allowed: gpt2, gpt_neox, llama, mistral, )"
       R"(qwen2, qwen3, bert, roberta, distilbert, bart, marian, t5, attention-only, vit)"},
      {"FamilyAnother", with_field("model_type", "\"bert\""), "DIR: config.json: hidden_size is missing"},
      {"SizeMissing", with_config(R"({"model_type": "gpt2"})"), "DIR: config.json: n_embd is missing"},
      {"SizeAText", with_field("n_embd", "\"4\""),
       R"(DIR: config.json: n_embd: "4" is not allowed; allowed: whole numbers from 1 to 16,777,216)"},
      {"SizeNegative", with_field("n_layer", "-1"),
       "DIR: config.json: n_layer: -1 is not allowed; allowed: whole numbers from 1 to 16,777,216"},
      {"SizeFractional", with_field("n_embd", "4.5"),
       "DIR: config.json: n_embd: 4.5 is not allowed; allowed: whole numbers from 1 to 16,777,216"},
      {"SizeHuge", with_field("vocab_size", "1e300"),
       "DIR: config.json: vocab_size: 1e+300 is not allowed; allowed: whole numbers from 1 to 16,777,216"},
      {"SizeNotANumber", with_field("vocab_size", "NaN"), "DIR/config.json: line 1, column 38: invalid literal"},
      {"HeadsThatDoNotDivide", with_field("n_head", "3"), "DIR: config.json: n_head 3 does not divide n_embd 4"},
      {"HeadsOfKeysThatDoNotDivide", with_config(llama(R"("num_attention_heads": 4, "num_key_value_heads": 3)")),
       "DIR: config.json: num_key_value_heads 3 does not divide num_attention_heads 4"},
      {"RotaryUnknown",
       with_config(llama(R"("num_attention_heads": 2, "rope_scaling": {"rope_type": "yarn", "factor": 2})")),
       R"(DIR: config.json: rope_scaling.rope_type: "yarn" is not known; allowed: default, dynamic, linear, llama3)"},
      {"RotaryFactorOfZero",
       with_config(llama(R"("num_attention_heads": 2, "rope_scaling": {"rope_type": "linear", "factor": 0})")),
       "DIR: config.json: rope_scaling.factor: 0 is not allowed; allowed: above 0"},
      {"EpsilonOfZero", with_config(llama(R"("num_attention_heads": 2, "rms_norm_eps": 0)")),
       "DIR: config.json: rms_norm_eps: 0 is not allowed; allowed: above 0"},
      {"RotaryUnknownInTheNewForm",
       with_config(llama(R"("num_attention_heads": 2, "rope_parameters": {"type": "yarn", "factor": 2})")),
       R"(DIR: config.json: rope_parameters.type: "yarn" is not known; allowed: default, dynamic, linear, llama3)"},
      {"BertThatIsADecoder", with_config(bert(R"("is_decoder": true)")),
       "DIR: config.json: is_decoder: true is not allowed; allowed: false"},
      {"MarianWithTwoVocabularies",
       with_config(
           R"({"model_type": "marian", "d_model": 4, "vocab_size": 8, "share_encoder_decoder_embeddings": false})"),
       "DIR: config.json: share_encoder_decoder_embeddings: false is not allowed; allowed: true"},
      {"BertWithOtherPositions", with_config(bert(R"("position_embedding_type": "relative_key")")),
       R"(DIR: config.json: position_embedding_type: "relative_key" is not known; allowed: absolute)"},
      {"RotaryBaseOfZero", with_config(llama(R"("num_attention_heads": 2, "rope_theta": 0)")),
       "DIR: config.json: rope_theta: 0 is not allowed; allowed: above 0"},
      {"ActivationUnknown", with_field("activation_function", "\"mish\""),
       R"(DIR: config.json: activation_function: "mish" is not known; allowed: relu, gelu, gelu_new, )"
       R"(gelu_pytorch_tanh, quick_gelu, silu, tanh)"},
      {"MlpUnknown", with_config(t5(R"("feed_forward_proj": "gated-mish")")),
       R"(DIR: config.json: feed_forward_proj: "gated-mish" is not known; allowed: relu, gelu, silu, gated-gelu, )"
       R"(gated-silu, gated-relu)"},
      {"PatchesLargerThanThePicture", with_config(vit(R"("image_size": 4, "patch_size": 8)")),
       "DIR: config.json: image_size 4 with patch_size 8 is not allowed; allowed: pictures of at most 2048 pixels a "
       "side, and patches no larger than the picture"},
      {"PreprocessorCutOff",
       [](const TemporaryFolder& folder) {
         folder.file(kConfigFile, vit(R"("image_size": 4, "patch_size": 2)"));
         folder.file("preprocessor_config.json", "{");
       },
       "DIR/preprocessor_config.json: line 1, column 1: unexpected end of input"},
  };
}

std::vector<WrongFolder> wrong_weights() {
  const std::string whole = weights_file(tiny_shapes());
  return {
      {"WeightsMissing", without_file(kWeightsFile),
       "DIR: no weights; needs model.safetensors or model.safetensors.index.json"},
      {"WeightsEmpty", with_weights(""),
       "DIR/model.safetensors: a safetensors file begins with 8 bytes, the length of its header; the file has 0"},
      {"WeightsCutOff", with_weights(whole.substr(0, whole.size() - 1)),
       R"(DIR/model.safetensors: tensor "wte.weight": data_offsets: its data ends at 1200, but the file is cut off )"
       R"(and has 1199 bytes of data)"},
      {"WeightsAPointer", with_weights(kPointer),
       R"(DIR/model.safetensors: the file is a Git-LFS pointer, not the file itself; "git lfs pull" fetches that)"},
      {"WeightsAPage", with_weights(kPage),
       "DIR/model.safetensors: the file is an HTML page, not the file itself; the download went wrong"},
      {"WeightsWithAHeaderOf10GB", with_weights(std::string("\x00\xe4\x0b\x54\x02\x00\x00\x00{}", 10)),
       "DIR/model.safetensors: the safetensors header claims to have 10.0 GB; allowed: 100 MB"},
      {"WeightsAFolder", instead_of(kWeightsFile, make_folder), "DIR/model.safetensors: is a folder, not a file"},
      {"WeightsAPipe", instead_of(kWeightsFile, make_pipe), "DIR/model.safetensors: is a pipe, not a file"},
      {"WeightsALinkToItself", instead_of(kWeightsFile, make_link_to_itself),
       "DIR/model.safetensors: Too many levels of symbolic links"},
      {"WeightsALinkToNothing", instead_of(kWeightsFile, make_link_to_nothing),
       "DIR/model.safetensors: No such file or directory"},
      {"WeightsAPickle",
       [](const TemporaryFolder& folder) { fs::rename(folder / kWeightsFile, folder / "pytorch_model.bin"); },
       "DIR/pytorch_model.bin: is a pickle, which can run any code when it is loaded; allowed: model.safetensors, "
       "which model.save_pretrained(folder, safe_serialization=True) writes in Python"},
      {"WeightsInSeveralFiles", with_two_files("b.safetensors"),
       "DIR: 2 files of weights (a.safetensors, b.safetensors), but no model.safetensors and no "
       "model.safetensors.index.json"},
      {"LayerMissing", without_tensor("h.0.mlp.c_fc.weight"),
       R"(DIR: the tensor "h.0.mlp.c_fc.weight" is missing; expected: [4, 16])"},
      {"LayersFewerThanTheConfigSays", with_field("n_layer", "2"),
       R"(DIR: the tensor "h.1.ln_1.weight" is missing; expected: [4])"},
      {"LayersWithoutEnd", with_field("n_layer", "16777216"),
       R"(DIR: the tensor "h.1.ln_1.weight" is missing; expected: [4])"},
      {"NamesOfAnotherProgram", with_names("gpt."),
       R"(DIR: the tensor "transformer.wte.weight" is missing; expected: [7, 4])"},
      {"ShapeTransposed", with_shape("h.0.attn.c_attn.weight", {12, 4}),
       R"(DIR: the tensor "h.0.attn.c_attn.weight" has the shape [12, 4]; expected: [4, 12])"},
      {"ShapeOfAnotherRank", with_shape("ln_f.weight", {4, 1}),
       R"(DIR: the tensor "ln_f.weight" has the shape [4, 1]; expected: [4])"},
      {"VocabularyTooShort", with_shape("wte.weight", {6, 4}),
       R"(DIR: the tensor "wte.weight" has the shape [6, 4]; expected: [7, 4])"},
      {"VocabularyLongerInTheConfig", with_field("vocab_size", "8"),
       R"(DIR: the tensor "wte.weight" has the shape [7, 4]; expected: [8, 4])"},
      {"PositionsTooFew", with_shape("wpe.weight", {4, 4}),
       R"(DIR: the tensor "wpe.weight" has the shape [4, 4]; expected: [5, 4])"},
      {"WholeNumbers", with_weights(weights_file(tiny_shapes(), "I32")),
       R"(DIR: the tensor "wte.weight": its numbers are I32; allowed for weights: F32, F16, BF16, F64)"},
      {"KindUnknown", with_weights(weights_file(tiny_shapes(), "X32")),
       R"(DIR: the tensor "wte.weight": dtype: "X32" is unknown)"},
  };
}

std::vector<WrongFolder> wrong_indexes() {
  return {
      {"IndexEmpty", with_index(""),
       "DIR/model.safetensors.index.json: the file is empty; allowed: an object with weight_map"},
      {"IndexCutOff", with_index("{"), "DIR/model.safetensors.index.json: line 1, column 1: unexpected end of input"},
      {"IndexAList", with_index("[]"),
       "DIR/model.safetensors.index.json: the file holds an empty list; allowed: an object"},
      {"IndexAPointer", with_index(kPointer),
       R"(DIR/model.safetensors.index.json: this is a Git-LFS pointer, not the file itself; "git lfs pull" fetches )"
       R"(that)"},
      {"IndexWithoutAMap", with_index("{}"),
       "DIR/model.safetensors.index.json: weight_map is missing; allowed: an object of tensors and their files"},
      {"IndexWithAnEmptyMap", with_index(R"({"weight_map": {}})"),
       "DIR/model.safetensors.index.json: weight_map: an empty object is not allowed; allowed: an object of tensors "
       "and their files"},
      {"IndexNamesAFileElsewhere", with_index(R"({"weight_map": {"a": "../x.safetensors"}})"),
       R"(DIR/model.safetensors.index.json: weight_map: "a": "../x.safetensors" is not allowed; allowed: the name )"
       R"(of a file in the same folder)"},
      {"IndexNamesAFolder", with_index(R"({"weight_map": {"a": ".."}})"),
       R"(DIR/model.safetensors.index.json: weight_map: "a": ".." is not allowed; allowed: the name of a file in )"
       R"(the same folder)"},
      {"IndexNamesANumber", with_index(R"({"weight_map": {"a": 1}})"),
       R"(DIR/model.safetensors.index.json: weight_map: "a": 1 is not allowed; allowed: the name of a file in the )"
       R"(same folder)"},
      {"IndexNamesATensorTwice",
       with_index(R"({"weight_map": {"wte.weight": "model-1.safetensors", "wte.weight": "model-1.safetensors"}})"),
       R"(DIR/model.safetensors.index.json: line 1, column 65: the key "wte.weight" appears twice)"},
      {"ShardMissing", with_index(R"({"weight_map": {"a": "model-2.safetensors"}})"),
       "DIR/model-2.safetensors: No such file or directory"},
      {"ShardWithoutItsTensor", with_index(R"({"weight_map": {"gone": "model-1.safetensors"}})"),
       R"(DIR/model-1.safetensors: the tensor "gone" is missing, although the index lists it here)"},
      {"ShardAPointer",
       [](const TemporaryFolder& folder) {
         with_index(R"({"weight_map": {"wte.weight": "model-1.safetensors"}})")(folder);
         folder.file("model-1.safetensors", kPointer);
       },
       R"(DIR/model-1.safetensors: the file is a Git-LFS pointer, not the file itself; "git lfs pull" fetches that)"},
      {"ShardALinkToItself",
       [](const TemporaryFolder& folder) {
         with_index(R"({"weight_map": {"wte.weight": "model-1.safetensors"}})")(folder);
         fs::remove(folder / "model-1.safetensors");
         make_link_to_itself(folder / "model-1.safetensors");
       },
       "DIR/model-1.safetensors: Too many levels of symbolic links"},
      {"IndexOfOneTensor", with_index(R"({"weight_map": {"wte.weight": "model-1.safetensors"}})"),
       R"(DIR: the tensor "wpe.weight" is missing; expected: [5, 4])"},
  };
}

std::vector<WrongFolder> wrong_folders() {
  std::vector<WrongFolder> all = wrong_configs();
  for (const auto& more : {wrong_weights(), wrong_indexes()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

class WrongModel : public testing::TestWithParam<WrongFolder> {};

TEST_P(WrongModel, IsRefusedInOneLine) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  GetParam().spoil(folder);
  const Result<std::shared_ptr<const Model>> model = open_model(folder.path());
  ASSERT_FALSE(model);
  EXPECT_TRUE(test::is_one_line(model.error().message));
  EXPECT_EQ(test::without_folder(model.error().message, folder.path()), GetParam().says);
}

INSTANTIATE_TEST_SUITE_P(Folders, WrongModel, testing::ValuesIn(wrong_folders()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace attnscope::wrong_models
