// The workbench's share in what leaves the window: the view as a figure, a matrix as text.
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "app/figure_builder.h"
#include "io/clipboard.h"
#include "ui/export_dialog.h"
#include "ui/workbench.h"

namespace attnscope::ui {

ExperimentSource Workbench::source_of_view() const {
  return source_of_figure(trace_->experiment(), pinned_ ? &pinned_->experiment() : nullptr);
}

void Workbench::copy_matrix(MatrixFormat format) {
  if (!trace_ || !transient_.pinned) return say("keep a cell first: its matrix is copied", true);
  const NamedCell& cell = *transient_.pinned;
  const Result<std::string> text = matrix_text(*trace_, cell.tensor, cell.index, format);
  if (!text) return say(text.error().message, true);
  ImGui::SetClipboardText(text->c_str());
  say("copied the matrix of " + cell.tensor, false);
}

void Workbench::copy_figure() {
  if (!trace_) return say("nothing is computed yet that could be copied", true);
  // A folder of its own: in a shared one, somebody could have put a link in the file's place.
  std::error_code error;
  std::string folder = (std::filesystem::temp_directory_path(error) / "attnscope-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return say(folder + ": no such folder can be made", true);
  const std::filesystem::path path =
      std::filesystem::path(folder) / ("attnscope-" + trace_->experiment().view.name + ".png");
  const Result<FigureFileOptions> options = export_options(transient_.export_settings);
  if (!options) return say(options.error().message, true);
  const Figure figure = figure_for_file(
      [&](double width, double height) {
        return build({trace_, trace_number_, trace_->experiment().view, width, height, pinned_});
      },
      *options);
  const ExperimentSource source = source_of_view();
  if (const Result<void> written = write_figure(figure, *options, path, &source); !written)
    return say(written.error().message, true);
  const Result<bool> copied = copy_png_to_clipboard(path);
  // Whoever took the picture has read all of it.
  if (!copied || *copied) std::filesystem::remove_all(folder, error);
  if (!copied) return say(copied.error().message, true);
  if (*copied) {
    say("copied the figure · a click copies the caption", false);
  } else {
    ImGui::SetClipboardText(path.c_str());
    say("wrote " + path.string() + " and copied its path: neither xclip nor wl-copy is there", false);
    return;
  }
  transient_.message_copies = figure_caption(source);
}

Result<void> Workbench::export_figure(const std::string& path) {
  const Result<FigureFileOptions> options = export_options(transient_.export_settings);
  if (!options) return tl::unexpected(options.error());
  const auto paths = export_paths(path, transient_.export_settings);
  if (!paths) return tl::unexpected(paths.error());
  const auto make = [&](double width, double height) {
    return build({trace_, trace_number_, trace_->experiment().view, width, height, pinned_});
  };
  const Figure figure = figure_for_file(make, *options);
  const ExperimentSource source = source_of_view();
  std::string names;
  for (const std::filesystem::path& each : *paths) {
    if (Result<void> written = write_figure(figure, *options, each, &source); !written) return written;
    names += (names.empty() ? "" : ", ") + (names.empty() ? each.string() : each.filename().string());
  }
  say("wrote " + names + " · a click copies the caption", false);
  transient_.message_copies = figure_caption(source);
  return {};
}

std::optional<ExportShown> Workbench::update_preview() {
  if (transient_.dialog != Dialog::export_figure || !trace_) {
    preview_.reset();
    return std::nullopt;
  }
  if (!preview_) {
    preview_.emplace(wake_);
    preview_->batch.renderer = &heatmaps_;
  }
  ExportPreview& preview = *preview_;
  // While something is out of range the last figure stays.
  const Result<FigureFileOptions> options = export_options(transient_.export_settings);
  const FigureRequest now = {trace_, trace_number_, trace_->experiment().view, 0, 0, pinned_};
  const auto finish = [&](Figure figure) {
    preview.figure = std::move(figure);
    // In the upper half, where the numbers of traces never come.
    preview.number = ++previews_ << 32U;
  };
  if (options && (preview.built_of != now || preview.options != *options)) {
    FigureRequest sized = now;
    if (find_view(now.view.name)->slow) {
      const LayoutSize size = layout_size(*options);
      sized.width = size.width;
      sized.height = size.height;
      preview.builder.request(sized);
    } else {
      finish(figure_for_file(
          [&](double width, double height) {
            sized.width = width;
            sized.height = height;
            return build(sized);
          },
          *options));
    }
    preview.built_of = now;
    preview.options = *options;
  }
  if (std::optional<BuiltFigure> built = preview.builder.take())
    finish(with_content(std::move(built->figure), preview.options.content));
  return ExportShown{preview.figure ? &*preview.figure : nullptr,
                     preview.number,
                     luts_,
                     preview.batch,
                     preview.lines,
                     figure_caption(source_of_view())};
}

}  // namespace attnscope::ui
