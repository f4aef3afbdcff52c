// The texts of a model in the window: boxes, tokens, refusals, and its layers in the figure.
#include "io/models/model_texts.h"

#include <algorithm>
#include <fstream>

#include "app/session/next_words.h"
#include "core/heads/attention_list.h"
#include "figure/slices/token_names.h"
#include "figure/views/view.h"
#include "interface_test.h"
#include "support/tiny_model.h"
#include "ui/imgui/text_field.h"
#include "ui/panels/panels.h"

namespace attnscope::test {
namespace {

const std::filesystem::path kModels = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models";

class ModelTexts : public Interface {
 protected:
  void open(const std::string& name) {
    Result<Experiment> experiment = experiment_of_model(kModels / name);
    ASSERT_TRUE(experiment) << experiment.error().message;
    InterfaceOptions options;
    options.experiment = std::move(*experiment);
    start(options);
    screen().settle();
  }

  void type_instead(const std::string& text) {
    screen().key_with_control('T');
    screen().frame(2);
    screen().retype(text);
    screen().settle();
  }
};

TEST_F(ModelTexts, TypingChangesTokensAndFigureAndIsOneStepForUndo) {
  open("stories");
  const ModelText before = screen().experiment().text;
  ASSERT_TRUE(screen().is_open("Text"));
  type_instead("the dogs run");
  const ModelText& after = screen().experiment().text;
  EXPECT_EQ(after.text, "the dogs run");
  EXPECT_EQ(after.ids, (*screen().experiment().model->tokens("the dogs run", {}, false)).ids);
  EXPECT_EQ(screen().trace().experiment().text, after);
  screen().key(kEscape);
  screen().settle();
  EXPECT_EQ(screen().experiment().text.text, "the dogs run") << "Escape only leaves the box";
  undo();
  EXPECT_EQ(screen().experiment().text, before);
}

TEST_F(ModelTexts, AClickOnANextWordWritesItAndUndoTakesItBack) {
  open("stories");
  const ModelText before = screen().experiment().text;
  const std::vector<NextWord> words = next_words(screen().trace(), 5);
  ASSERT_TRUE(words[0].written);
  screen().click_item("Text", {1, static_cast<int>(words[0].id), std::string("next word")});
  screen().settle();
  EXPECT_EQ(screen().experiment().text.text, *words[0].written);
  EXPECT_EQ(screen().experiment().text.ids.back(), words[0].id);
  EXPECT_EQ(screen().experiment().text.ids.size(), before.ids.size() + 1);
  const std::vector<NextWord> second = next_words(screen().trace(), 5);
  screen().click_item("Text", {1, static_cast<int>(second[0].id), std::string("next word")});
  screen().settle();
  EXPECT_EQ(screen().experiment().text.ids.size(), before.ids.size() + 2);
  undo();
  EXPECT_EQ(screen().experiment().text.text, *words[0].written);
  undo();
  EXPECT_EQ(screen().experiment().text, before);
}

TEST_F(ModelTexts, WithoutAContinuationOfferNoWords) {
  open("digits");
  EXPECT_FALSE(screen().is_open("Text"));
  InterfaceOptions options;
  options.width = 1500;
  options.experiment = experiment_of_model(kModels / "dates").value();
  start(options);
  screen().settle();
  const std::vector<NextWord> words = next_words(screen().trace(), 5);
  ASSERT_FALSE(words.empty());
  EXPECT_THROW(screen().click_item("Text", {1, static_cast<int>(words[0].id), std::string("next word")}),
               std::runtime_error);
  screen().click_item("Text", {2, static_cast<int>(words[0].id), std::string("next word")});
}

TEST_F(ModelTexts, TheKeyPutsTheCursorAtTheEnd) {
  open("stories");
  const std::string before = screen().experiment().text.text;
  for (int time = 0; time < 2; ++time) {
    screen().key_with_control('T');
    screen().frame(3);
    screen().type(" run");
    screen().settle();
  }
  EXPECT_EQ(screen().experiment().text.text, before + " run run");
}

TEST_F(ModelTexts, RefusedTextStaysInItsBoxAndTheLastPictureStays) {
  open("stories");
  type_instead("the dogs run");
  const ModelText taken = screen().experiment().text;
  std::string long_text;
  for (int i = 0; i < 400; ++i) long_text += "the ";
  type_instead(long_text);
  ASSERT_TRUE(screen().state().text_boxes.typed[0]);
  EXPECT_NE(screen().state().text_boxes.typed[0]->error.find(" tokens; stories reads at most 96"), std::string::npos)
      << screen().state().text_boxes.typed[0]->error;
  EXPECT_EQ(screen().state().text_boxes.typed[0]->text,
            long_text.substr(0, screen().state().text_boxes.typed[0]->text.size()));
  EXPECT_EQ(screen().trace().experiment().text.ids.size(), screen().experiment().text.ids.size());
  EXPECT_LT(screen().experiment().text.ids.size(), 400U);
}

TEST_F(ModelTexts, RefusalsAreInPlainWords) {
  open("stories");
  std::string long_text;
  for (int i = 0; i < 110; ++i) long_text += "the ";
  const auto refusal = [&](const std::string& text) {
    screen().key_with_control('T');
    screen().frame(2);
    screen().key_with_control('A');
    ImGui::SetClipboardText(text.c_str());
    text.empty() ? screen().key(kBackspace) : screen().key_with_control('V');
    screen().settle();
    const auto& typed = screen().state().text_boxes.typed[0];
    return typed ? typed->error : "taken";
  };
  EXPECT_EQ(refusal(""), "Type at least one token.");
  const auto count = (*screen().experiment().model->tokens(long_text, {}, false)).ids.size();
  EXPECT_EQ(refusal(long_text), std::to_string(count) + " tokens; stories reads at most 96 (n_positions)");
}

TEST_F(ModelTexts, ABundledModelIsNotSuggestedToBeSavedInTheProgramsFolder) {
  open("stories");
  screen().key_with_control('S');
  screen().settle();
  EXPECT_EQ(screen().state().dialog.path, "stories.json");
  screen().key(kEscape);
  const TemporaryFolder folder;
  screen().key_with_control('S');
  confirm(folder / "first.json");
  open("stories");
  screen().state().last_folder = folder.path();
  screen().key_with_control('E');
  screen().settle();
  EXPECT_TRUE(screen().state().dialog.path.starts_with((folder / "stories").string())) << screen().state().dialog.path;
}

TEST_F(ModelTexts, TheFolderOfTheLastFileIsSuggested) {
  open("stories");
  const TemporaryFolder folder;
  screen().key_with_control('S');
  confirm(folder / "first.json");
  EXPECT_EQ(screen().state().last_folder, folder.path());
}

TEST_F(ModelTexts, CountsWeightsAndNoBuffers) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  const auto parameters = [&] {
    InterfaceOptions options;
    options.experiment = *experiment_of_model(folder.path());
    start(options);
    screen().settle();
    std::string shown;
    for (const auto& row : screen().state().model_facts->rows) {
      if (row.name == "Parameters" || row.name == "Number format") shown += row.value + ";";
    }
    return shown;
  };
  const std::string without = parameters();
  EXPECT_TRUE(without.ends_with(";F32;")) << without;
  Shapes shapes = tiny_shapes();
  shapes["h.0.attn.bias"] = {1, 1, 5, 5};
  shapes["h.0.attn.masked_bias"] = {1};
  folder.file("model.safetensors", weights_file(shapes));
  EXPECT_EQ(parameters(), without);
}

TEST_F(ModelTexts, TheLinkOfAWeightOpensTheScoreOfTheSameKey) {
  open("stories");
  const std::optional<ui::Inspection> weight = ui::inspect(screen().trace(), {"layer3.weights", {0, 9, 5}});
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->source_texts, (std::vector<std::string>{"layer3.masked_scores[0, 9, :]"}));
  EXPECT_EQ(weight->sources.front(), (ui::NamedCell{"layer3.masked_scores", {0, 9, 5}}));
}

TEST_F(Interface, EscapeClosesMenusAndLists) {
  screen().state().pinned = ui::NamedCell{"q", {0, 0, 0}};
  const auto any_open = [] {
    return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  };
  for (const char* menu : {"File", "Lessons"}) {
    screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string(menu)});
    screen().frame(2);
    ASSERT_TRUE(any_open()) << menu;
    screen().key(kEscape);
    screen().frame(2);
    EXPECT_FALSE(any_open()) << menu;
    EXPECT_TRUE(screen().state().pinned) << "the first Escape only closes the menu";
  }
  screen().key(kEscape);
  EXPECT_FALSE(screen().state().pinned);
}

/// Experiments with characters that ImGui's fields cannot hold.
class WideCharacters : public ModelTexts {
 protected:
  void open_with(const std::string& text) {
    Result<Experiment> experiment = experiment_of_model(kModels / "stories");
    ASSERT_TRUE(experiment) << experiment.error().message;
    ASSERT_TRUE(set_texts(*experiment, {text, std::nullopt}, {}));
    InterfaceOptions options;
    options.experiment = std::move(*experiment);
    start(options);
    screen().settle();
  }

  void type_character(unsigned character) {
    ImGui::GetIO().AddInputCharacter(ui::typed_in_field(character));
    screen().frame(2);
  }

  [[nodiscard]] const std::string& text() { return screen().experiment().text.text; }
};

TEST_F(WideCharacters, AClickIntoTheBoxChangesNothing) {
  for (const std::string& text :
       {std::string("Emma met 🦓 Paul"), std::string("a㐀b🦓🦓𝛼 �"), std::string("a\0b", 3)}) {
    open_with(text);
    const Experiment before = screen().experiment();
    screen().click_item("Text", {1, std::string("##text")});
    screen().settle();
    ASSERT_TRUE(ImGui::GetIO().WantTextInput);
    EXPECT_EQ(screen().experiment(), before);
    screen().click({700, 400});
    screen().settle();
    EXPECT_EQ(screen().experiment(), before);
    EXPECT_EQ(screen().workbench().window_title().find("edited"), std::string::npos);
  }
}

TEST_F(WideCharacters, StayWhereTheyAreWhileTheUserTypes) {
  open_with("Emma met 🦓 Paul");
  screen().key_with_control('T');
  screen().frame(3);
  screen().type(" ran");
  screen().settle();
  EXPECT_EQ(text(), "Emma met 🦓 Paul ran");
  for (int i = 0; i < 10; ++i) screen().key(kBackspace);
  screen().settle();
  EXPECT_EQ(text(), "Emma met ");
}

TEST_F(WideCharacters, CanBeTypedCopiedAndPasted) {
  open_with("Emma");
  screen().key_with_control('T');
  screen().frame(3);
  type_character(0x1F993);
  screen().settle();
  EXPECT_EQ(text(), "Emma🦓");
  screen().key_with_control('A');
  screen().key_with_control('C');
  EXPECT_STREQ(ImGui::GetClipboardText(), "Emma🦓");
  ImGui::SetClipboardText("the 🐈 sat");
  screen().key_with_control('V');
  screen().settle();
  EXPECT_EQ(text(), "the 🐈 sat");
}

TEST_F(Interface, ALabelOutsideTheBasicPlaneStaysAsItIs) {
  InterfaceOptions options;
  options.experiment = *default_experiment("worked-example");
  options.height = 1000;
  options.experiment->labels = {"🦓", "met", "𝛼"};
  start(options);
  screen().settle();
  screen().click_item("Parameters", {std::string("##labels")});
  screen().settle();
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  EXPECT_EQ(screen().experiment().labels, options.experiment->labels);
  EXPECT_EQ(screen().workbench().window_title().find("edited"), std::string::npos);
}

TEST_F(ModelTexts, SystemsHaveNoBox) { EXPECT_FALSE(screen().is_open("Text")); }

TEST_F(ModelTexts, EncoderDecoderAndCrossAttentionAreLayersWithTheirOwnTokens) {
  open("dates");
  const Trace& trace = screen().trace();
  std::vector<std::string> titles;
  for (const LayerAttention& each : layer_attentions(trace)) titles.push_back(title_of(each));
  EXPECT_EQ(titles, (std::vector<std::string>{"encoder layer 1", "encoder layer 2", "decoder layer 1",
                                              "decoder layer 1, cross-attention", "decoder layer 2",
                                              "decoder layer 2, cross-attention"}));
  const Step& cross = *trace.find("decoder.layer1.cross_weights");
  const Experiment& experiment = trace.experiment();
  EXPECT_EQ(counted_text(experiment, cross.name, cross.axes.back()), &experiment.text);
  if (experiment.text.ids.size() != experiment.text2.ids.size()) {
    EXPECT_EQ(counted_text(experiment, cross.name, cross.axes[cross.axes.size() - 2]), &experiment.text2);
  }
}

TEST_F(ModelTexts, AClickOnAHeadAmongOthersOpensItInItsLayerAndPart) {
  struct Case {
    const char* model;
    const char* id;
    const char* tensor;
    Index layer;
    Index head;
  };
  for (const Case& each : {Case{"dates", "open.decoder.layer2.cross_weights.1", "decoder.layer2.cross_weights", 6, 2},
                           Case{"dates", "open.encoder.layer1.weights.0", "encoder.layer1.weights", 1, 1},
                           Case{"stories", "open.layer3.weights.2", "layer3.weights", 3, 3}}) {
    open(each.model);
    open_view("heads");
    const std::vector<TargetMark>& targets = screen().workbench().shown_figure().figure().targets;
    const auto target = std::ranges::find(targets, each.id, &TargetMark::id);
    ASSERT_NE(target, targets.end()) << each.id;
    screen().click(screen().on_screen(target->box.center()));
    screen().settle();
    const ViewChoice& view = screen().experiment().view;
    EXPECT_EQ(view.name, "head") << each.id;
    const Result<ViewOptions> options = view_options(view);
    EXPECT_EQ(options->integer("layer"), each.layer) << each.id;
    EXPECT_EQ(options->integer("head"), each.head) << each.id;
    const HeatmapMark& shown = screen().workbench().shown_figure().figure().heatmaps.front();
    EXPECT_EQ(screen().trace().steps()[static_cast<std::size_t>(shown.step)].name, each.tensor);
    undo();
    EXPECT_EQ(screen().experiment().view.name, "heads") << "opening a head is one step";
  }
}

TEST_F(ModelTexts, ADigitOpensAHeadAmongOthersOfThePinnedCellsLayer) {
  open("dates");
  open_view("heads");
  screen().key('2');
  screen().settle();
  EXPECT_EQ(screen().experiment().view.name, "head");
  EXPECT_EQ(view_options(screen().experiment().view)->integer("head"), 2);
  EXPECT_EQ(view_options(screen().experiment().view)->integer("layer"), 1);
  undo();
  screen().state().pinned = ui::NamedCell{"decoder.layer1.cross_weights", {0, 0, 0}};
  screen().key('1');
  screen().settle();
  EXPECT_EQ(view_options(screen().experiment().view)->integer("head"), 1);
  EXPECT_EQ(view_options(screen().experiment().view)->integer("layer"), 4);
}

TEST_F(ModelTexts, TheNumbersOfAModelThatWasLeftAreLetGo) {
  for (const char* view : {"metrics", "lines", "head", "heads", "text", "next", "contributions", "importance"}) {
    open("stories");
    open_view(view);
    // A number is looked at.
    if (!screen().workbench().shown_figure().figure().heatmaps.empty()) screen().move(screen().cell_center(0, 1, 1));
    screen().settle();
    const std::weak_ptr<const Plan> plan = screen().trace().plan();
    screen().move({1, 1});
    screen().key_with_control('N');
    screen().settle();
    ASSERT_EQ(screen().experiment().model, nullptr);
    EXPECT_TRUE(plan.expired()) << view << ": held in " << plan.use_count() << " places";
  }
}

TEST_F(ModelTexts, AHeadOfTheTrainingOpensWithAClick) {
  open("induction");
  open_view("training");
  const Figure& figure = screen().workbench().shown_figure().figure();
  const auto point = std::ranges::find(figure.targets, "measure.layer2.weights.0.step-002700", &TargetMark::id);
  ASSERT_NE(point, figure.targets.end());
  screen().click(screen().on_screen(point->box.center()));
  screen().settle();
  EXPECT_EQ(screen().experiment().view.name, "head");
  EXPECT_EQ(screen().experiment().view.options.at("layer"), ParameterValue(Index{2}));
}

TEST_F(ModelTexts, EveryViewShowsAModelOrSaysWhyNot) {
  for (const char* name : {"stories", "dates", "induction", "digits"}) {
    open(name);
    for (const View& view : views()) {
      const Figure figure = build_view(view.name, screen().trace(), *view_options({view.name, {}}));
      EXPECT_TRUE(!figure.heatmaps.empty() || !figure.texts.empty()) << name << ", " << view.name;
      EXPECT_EQ(figure.failure, "") << name << ", " << view.name;
    }
  }
}

}  // namespace
}  // namespace attnscope::test
