// The last settings of the export dialog.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "io/figures/figure_file.h"

namespace attnscope::ui {

struct ExportSettings {
  std::array<bool, kFigureFormats.size()> formats = {false, false, true};  ///< which of kFigureFormats are written
  bool centimetres = false;                                                ///< how lengths are shown
  bool fixed_height = false;
  double height_inches = 5;  ///< if it is fixed
  FigureFileOptions file;    ///< except the height and the range
  std::string range;         ///< as typed; empty: that of the view
};

/// The options of the files, in range; the error says which setting is not.
Result<FigureFileOptions> export_options(const ExportSettings& settings);

/// The files to write: `path` with the ending of each format.
Result<std::vector<std::filesystem::path>> export_paths(const std::string& path, const ExportSettings& settings);

/// Chooses the format that the typed ending names.
void choose_format_of(const std::string& path, ExportSettings& settings);

/// `path` with the ending of the formats.
std::string path_for_formats(const std::string& path, const ExportSettings& settings);

/// A free path of that kind that begins with `stem`.
std::string free_export_path(const std::string& stem, const ExportSettings& settings);

}  // namespace attnscope::ui
