// What a session knows of its file: saved, opened, read again.
#include <gtest/gtest.h>

#include "app/session/session.h"
#include "session_support.h"

namespace attnscope {
namespace {

TEST(SessionDocument, KnowsWhetherItIsSaved) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply(set("heads", Index{5})));
  EXPECT_TRUE(session.modified());
  session.mark_saved("b.json");
  EXPECT_FALSE(session.modified());
  EXPECT_EQ(session.file(), "b.json");
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_TRUE(session.modified());
  ASSERT_TRUE(session.apply({Redo{}, 0}));
  EXPECT_FALSE(session.modified());
  ASSERT_TRUE(session.apply({SetView{"heads"}, 0}));
  EXPECT_FALSE(session.modified()) << "another view is no edit";
}

TEST(SessionDocument, SavingEndsAGesture) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply(set("heads", Index{5}, 1)));
  session.mark_saved("b.json");
  ASSERT_TRUE(session.apply(set("heads", Index{6}, 1)));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_FALSE(session.modified()) << "what was saved can be come back to";
}

TEST(SessionDocument, OpeningCanBeUndone) {
  Session session(example_to_edit(), "a.json");
  ASSERT_TRUE(session.apply(set("heads", Index{5}, 1)));
  ASSERT_TRUE(session.apply({SetSeed{1}, 0}));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  const Experiment before = session.experiment();
  Experiment other = example_to_edit();
  other.seed = 9;
  session.open(other, "c.json");
  EXPECT_EQ(session.experiment(), other);
  EXPECT_EQ(session.file(), "c.json");
  EXPECT_FALSE(session.modified());
  EXPECT_FALSE(session.can_redo());
  ASSERT_TRUE(session.apply(set("heads", Index{6}, 1)));
  session.mark_saved("d.json");
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment(), other) << "the gesture before is over";
  EXPECT_EQ(session.file(), "d.json") << "it is the same document";
  EXPECT_TRUE(session.modified());
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment(), before) << "what was not saved is not lost";
  EXPECT_EQ(session.file(), "a.json");
  EXPECT_TRUE(session.modified());
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_FALSE(session.modified()) << "of a.json, what was opened first is what was saved";
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(session.apply({Redo{}, 0}));
  EXPECT_EQ(session.file(), "d.json");
  EXPECT_FALSE(session.modified());
  EXPECT_FALSE(session.can_redo());
}

TEST(SessionDocument, WhatItsFilesHaveByNowIsAStepThatCanBeUndone) {
  Session session(example_to_edit(), "a.json");
  Experiment now = example_to_edit();
  now.seed = 9;
  session.reload(example_to_edit(), true);
  EXPECT_FALSE(session.can_undo()) << "nothing has changed";
  ASSERT_TRUE(session.apply(set("heads", Index{5})));
  const Experiment unsaved = session.experiment();
  session.reload(now, true);
  EXPECT_EQ(session.experiment(), now);
  EXPECT_EQ(session.file(), "a.json");
  EXPECT_FALSE(session.modified());
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment(), unsaved);
  EXPECT_TRUE(session.modified());
  // Reloading a file other than the document's leaves saved edits saved and unsaved edits unsaved.
  ASSERT_TRUE(session.apply({Redo{}, 0}));
  now.seed = 10;
  session.reload(now, false);
  EXPECT_FALSE(session.modified());
  ASSERT_TRUE(session.apply(set("heads", Index{6})));
  now.parameters["heads"] = Index{6};
  now.seed = 11;
  session.reload(now, false);
  EXPECT_TRUE(session.modified());
}

}  // namespace
}  // namespace attnscope
