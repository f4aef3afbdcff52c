// Above the first figure of a new document: where to begin.
#pragma once

#include "ui/panels/panels.h"
#include "ui/parts/areas.h"
#include "ui/parts/remembered.h"
#include "ui/parts/shared.h"
#include "ui/parts/window_parts.h"

namespace attnscope::ui {

/// The offers are shown until the user takes one or closes them. Closed, they are left out at the next starts too.
class StartOffers {
 public:
  StartOffers(Shared& shared, Remembered& remembered) : shared_(shared), remembered_(remembered) {}

  /// At the program's start without a file: shows them unless they were closed.
  void begin() { open_ = remembered_.state().start_offers; }
  /// Shows them, also at the next starts.
  void open();
  /// Their height in logical pixels; 0 where they are not shown, as in an opened document or lesson.
  [[nodiscard]] double height(bool two_rows) const;
  /// Shows them in the row above the figure.
  void show(const Style& style, const Areas& areas, WindowParts& parts, const MenuState& state, UiIntents& intents);

 private:
  Shared& shared_;
  Remembered& remembered_;
  bool open_ = false;
};

}  // namespace attnscope::ui
