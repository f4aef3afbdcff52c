#include "ui/dialogs/export_dialog.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "ui/dialogs/document_dialogs.h"
#include "ui/dialogs/export_rows.h"
#include "ui/dialogs/path_dialog.h"
#include "ui/dialogs/path_field.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

void format_row(const Style& style, UiState& state) {
  ExportSettings& settings = state.export_settings;
  row_label(style, "Formats");
  for (std::size_t i = 0; i < kFigureFormats.size(); ++i) {
    if (i > 0) ImGui::SameLine();
    if (ImGui::Checkbox(kFigureFormats[i].name, &settings.formats[i])) {
      state.dialog.path = path_for_formats(state.dialog.path, settings);
      state.dialog.question.clear();
    }
  }
}

void caption_row(const Style& style, const std::string& caption, float width) {
  const float button = ImGui::CalcTextSize("Copy").x + 2 * ImGui::GetStyle().FramePadding.x;
  if (ImGui::Button("Copy")) ImGui::SetClipboardText(caption.c_str());
  tooltip("A caption to go below the figure. The figure file contains it too.");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  clipped_text(caption, width - button - ImGui::GetStyle().ItemSpacing.x, color(style.palette.dim));
}

}  // namespace

bool export_dialog(const Style& style, const ExportShown& shown, UiState& state) {
  ExportSettings& settings = state.export_settings;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float room = std::clamp(display.x - style.px(kSettingsWidth + 96), style.px(120), style.px(520));
  const float width = style.px(kSettingsWidth + 16) + room;
  const PathDialog& text = *find_path_dialog(Dialog::export_figure);
  const PathFieldResult field = path_field(state.dialog, text.hint.c_str(), width, endings_of(text));
  bool confirmed = field.entered;
  if (std::exchange(state.dialog.browsed, false) || field.edited) choose_format_of(state.dialog.path, settings);
  ImGui::BeginGroup();
  format_row(style, state);
  preset_row(style, settings, shown.file);
  // A preset has its own sizes; what was typed stays for when there is none.
  ExportSettings sizes = settings;
  if (settings.file.preset && shown.file) {
    sizes.file = *shown.file;
    sizes.fixed_height = false;
  }
  sizes.file.dpi = settings.file.dpi;
  size_rows(style, settings.file.preset ? sizes : settings, shown.figure, "dpi (PNG only)");
  if (settings.file.preset) settings.file.dpi = sizes.file.dpi;
  look_rows(style, settings);
  caption_box(style, settings);
  ImGui::EndGroup();
  const float height = ImGui::GetItemRectSize().y;
  ImGui::SameLine(ImGui::GetStyle().WindowPadding.x + style.px(kSettingsWidth + 16));
  const Result<FigureFileOptions> options = export_options(settings);
  const FigureFileOptions* const page = shown.file ? &*shown.file : options ? &*options : nullptr;
  const double aspect = page != nullptr ? page->height_inches / page->width_inches : 0;
  page_preview(style, {options ? shown.figure : nullptr, shown.number, aspect, settings.file.theme}, shown.luts,
               shown.batch, shown.lines, ImVec2(room, height));
  caption_row(style, shown.caption, width);
  const std::string& trouble = !options                     ? options.error().message
                               : state.dialog.error.empty() ? shown.refusal
                                                            : state.dialog.error;
  if (!trouble.empty()) {
    clipped_text(trouble, width, color(Rgb{0xE6, 0x9F, 0x00}));
  } else if (shown.smaller_type) {
    const std::string note = smaller_type_text(*shown.smaller_type, settings.centimetres);
    clipped_text(capitalized(note), width, color(style.palette.dim));
  }
  const bool replaces = question_row(state);
  if (ImGui::Button(replaces ? "Replace" : "Export")) confirmed = true;
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) state.dialog.open = Dialog::none;
  if (enter_confirms()) confirmed = true;
  if (confirmed && !options) state.dialog.error = options.error().message;
  return confirmed && options.has_value();
}

}  // namespace attnscope::ui
