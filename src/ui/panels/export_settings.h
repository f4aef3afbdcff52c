// Settings of the export dialog, and the files and options that follow from them.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "io/figures/figure_file.h"

namespace attnscope::ui {

/// What the user has set, possibly out of range while it is typed.
struct ExportSettings {
  /// The selected formats, in the order of kFigureFormats; at first only PDF.
  std::array<bool, kFigureFormats.size()> formats = {false, false, true};
  bool centimetres = false;   ///< whether the dialog shows lengths in centimetres instead of inches
  bool fixed_height = false;  ///< whether `height_inches` counts; otherwise the content determines the height
  double height_inches = 5;
  FigureFileOptions file;  ///< all other options; `export_options` adds height and range
  std::string range;       ///< ends of the colour scale as typed, "0,0.5"; empty: as in the view
};

/// Whether a file of that format is to be written.
bool is_selected(const ExportSettings& settings, FigureFormat format);

/// The options of the files, all in range. The error is one line that names the setting and its limits.
Result<FigureFileOptions> export_options(const ExportSettings& settings);

/// The files to write, at least one: `path` with the extension of each selected format. Fails if `path` has no file
/// name or an unknown extension, or no format is selected.
Result<std::vector<std::filesystem::path>> export_paths(const std::string& path, const ExportSettings& settings);

/// Selects the format of the typed extension, alone, unless it is selected already. An unknown extension changes
/// nothing.
void choose_format_of(const std::string& path, ExportSettings& settings);

/// `path`, whose extension becomes that of the first selected format if it names a format that is not selected.
std::string path_for_formats(const std::string& path, const ExportSettings& settings);

/// `stem` with the extension of the first selected format; "-2", "-3" and so on before the extension if any file that
/// the export would write exists already.
std::string free_export_path(const std::string& stem, const ExportSettings& settings);

}  // namespace attnscope::ui
