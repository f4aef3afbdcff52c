// The first line of a lesson's panel.
#pragma once

#include "ui/panels/panels.h"

namespace attnscope::ui {

/// The title at the left; the step's number and the buttons at the right, or below in a panel that is not `wide`. Such a
/// panel keeps room for the way back to the lesson: a slider in it must not move when it is first dragged.
void lesson_header(const Style& style, const LessonShown& shown, bool wide, UiIntents& intents);

}  // namespace attnscope::ui
