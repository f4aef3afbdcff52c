// Tokens as a text that can be read, and its lines.
#include "figure/slices/running_text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "figure/blocks/wrapped_words.h"
#include "figure/model/figure.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

/// A trace of a small model whose tokens have these pieces.
std::shared_ptr<const Trace> trace_reading(const std::string& text, const std::vector<std::string>& pieces,
                                           const std::vector<bool>& special = {}) {
  Experiment experiment = experiment_on_model(made_model("gpt2"));
  experiment.text.text = text;
  experiment.text.pieces = pieces;
  experiment.text.special = special;
  for (std::size_t i = 0; i < pieces.size(); ++i) experiment.text.ids.push_back(static_cast<Index>(i % 20));
  return *run(experiment);
}

std::vector<TextPiece> pieces_of(const Trace& trace) {
  const Step& weights = *trace.find("layer1.weights");
  return running_text(trace, weights.name, weights.axes.back(), 0, weights.axes.back().size);
}

/// The text with a bar in front of every piece that continues a word: "inter|national cat".
std::string as_read(const std::vector<TextPiece>& pieces) {
  std::string text;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) text += pieces[i].begins_word ? " " : "|";
    text += pieces[i].spaces > 0 ? "(" + std::to_string(pieces[i].spaces) + ")" : pieces[i].text;
    if (pieces[i].ends_line) text += "/";
  }
  return text;
}

std::string read_as(const std::string& text, const std::vector<std::string>& pieces,
                    const std::vector<bool>& special = {}) {
  return as_read(pieces_of(*trace_reading(text, pieces, special)));
}

TEST(RunningText, PiecesWithSpacesBeginWords) {
  EXPECT_EQ(read_as("", {"The", " inter", "national", " cat", "."}), "The inter|national cat|.");
  EXPECT_EQ(read_as("The international cat.", {"The", " inter", "national", " cat", "."}), "The inter|national cat|.");
}

TEST(RunningText, TheTextSaysWhereWordsBeginWherePiecesDoNot) {
  EXPECT_EQ(read_as("3 may 1979", {"3", "may", "1", "9", "7", "9"}), "3 may 1|9|7|9");
  EXPECT_EQ(read_as("1979-05", {"1", "9", "7", "9", "-", "0", "5"}), "1|9|7|9|-|0|5");
  EXPECT_EQ(read_as("May 3rd,79", {"may", "3", "##rd", ",", "79"}), "may 3|rd|,|79");
}

TEST(RunningText, WithoutATextEveryPieceIsAWord) {
  EXPECT_EQ(read_as("", {"the", "play", "##ing", "cat"}), "the play|ing cat");
}

TEST(RunningText, PiecesThatTheTextDoesNotHaveAreFollowedByOthers) {
  EXPECT_EQ(read_as("the qvz sat on", {"the", "<unk>", "sat", "on"}), "the <unk> sat on");
  EXPECT_EQ(read_as("naïve cats sit", {"nai", "##ve", "cats", "sit"}), "nai|ve cats sit");
}

TEST(RunningText, SpecialTokensStandApart) {
  const auto trace = trace_reading("the cat", {"<s>", "the", "cat", "</s>"}, {true, false, false, true});
  const std::vector<TextPiece> pieces = pieces_of(*trace);
  EXPECT_EQ(as_read(pieces), "<s> the cat </s>");
  EXPECT_TRUE(pieces.front().special && pieces.back().special);
  EXPECT_FALSE(pieces[1].special);
  EXPECT_EQ(pieces[2].id, 2);
}

TEST(RunningText, LineBreaksAndSpacesAloneAreSeen) {
  EXPECT_EQ(read_as("a\n\nb  c", {"a", "↵", "↵", "b", "␣␣", "c"}), "a|↵/|↵/|b|(2)|c");
  EXPECT_EQ(read_as("a.\n b", {" a", ".↵", " b"}), "a|.↵/ b");
}

TEST(RunningText, SystemsHaveLabelsOrNumbers) {
  const auto trace = trace_with({{"tokens", "8"}, {"cross_queries", "0"}});
  const Step& weights = *trace->find("weights");
  const std::vector<TextPiece> all = running_text(*trace, weights.name, weights.axes.back(), 0, 8);
  EXPECT_TRUE(as_read(all).starts_with("the cat sat on the mat ")) << as_read(all);
  EXPECT_EQ(all.front().id, -1);
  const std::vector<TextPiece> part = running_text(*trace, weights.name, weights.axes.back(), 4, 2);
  EXPECT_EQ(as_read(part), "the mat");
  Experiment experiment = trace->experiment();
  experiment.labels.clear();
  const auto numbered = *run(experiment);
  EXPECT_EQ(as_read(running_text(*numbered, weights.name, weights.axes.back(), 4, 2)), "5 6");
}

std::vector<TextPiece> some_words(std::size_t count) {
  std::vector<TextPiece> pieces;
  for (std::size_t i = 0; i < count; ++i) {
    TextPiece piece;
    piece.text = std::string(1 + i * 7 % 11, static_cast<char>('a' + i % 26));
    piece.begins_word = i % 3 != 1;
    piece.ends_line = i % 17 == 16;
    piece.special = i % 24 == 23;
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

TEST(WrappedWords, StayWithinTheWidthAndDoNotOverlap) {
  const std::vector<TextPiece> pieces = some_words(300);
  for (const double width : {200.0, 300.0, 880.0}) {
    for (const double size : {9.0, 13.0, 18.0}) {
      const WrappedWords words = wrapped_words(pieces, width, size);
      ASSERT_EQ(words.pieces.size(), pieces.size());
      EXPECT_LE(words.width, width);
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const PlacedPiece& placed = words.pieces[i];
        EXPECT_GE(placed.box.width + 1e-9, placed.indent + text_width(placed.text, placed.size)) << placed.text;
        EXPECT_LE(placed.box.bottom(), words.height);
        if (i == 0) continue;
        const PlacedPiece& before = words.pieces[i - 1];
        const bool same_line = placed.box.y == before.box.y;
        EXPECT_TRUE(same_line ? placed.box.x > before.box.right() : placed.box.y >= before.box.bottom());
        EXPECT_FALSE(same_line && pieces[i - 1].ends_line);
        // A word, here of at most two pieces, is broken only where it is longer than a line.
        const bool broken = !same_line && !pieces[i - 1].ends_line && !pieces[i].begins_word;
        EXPECT_TRUE(!broken || before.box.width + 1 + placed.box.width > width) << i;
      }
    }
  }
}

TEST(WrappedWords, AWordThatIsLongerThanALineIsBrokenBetweenItsPieces) {
  std::vector<TextPiece> pieces(40);
  for (TextPiece& piece : pieces) {
    piece.text = "漢字";
    piece.begins_word = false;
  }
  const WrappedWords words = wrapped_words(pieces, 200, 13);
  EXPECT_LE(words.width, 200);
  EXPECT_GT(words.pieces.back().box.y, 0);
  EXPECT_EQ(words.pieces[1].box.x, words.pieces[0].box.right() + 1) << "only a hairline within a word";
}

TEST(WrappedWords, APieceThatIsLongerThanALineIsShortened) {
  TextPiece piece;
  piece.text = std::string(1000, 'm');
  const WrappedWords words = wrapped_words({piece}, 200, 13);
  EXPECT_LE(words.width, 200);
  EXPECT_TRUE(words.pieces.front().text.ends_with("…"));
}

}  // namespace
}  // namespace attnscope::test
