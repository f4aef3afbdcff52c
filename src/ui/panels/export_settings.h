// What the export dialog was last set to.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "io/figures/figure_file.h"

namespace attnscope::ui {

/// The formats in the order of their boxes, and the endings of their files.
struct ExportFormat {
  FigureFormat format;
  const char* name;
  const char* ending;
};
inline constexpr std::array<ExportFormat, 3> kExportFormats = {
    {{FigureFormat::png, "PNG", ".png"}, {FigureFormat::svg, "SVG", ".svg"}, {FigureFormat::pdf, "PDF", ".pdf"}}};

struct ExportSettings {
  std::array<bool, 3> formats = {false, false, true};  ///< which of kExportFormats are written
  bool centimetres = false;                            ///< how lengths are shown
  bool fixed_height = false;
  double height_inches = 5;  ///< counts where it is fixed
  FigureFileOptions file;    ///< all but the height and the range
  std::string range;         ///< as typed; empty: as the view has it
};

/// What is written with these settings, in range; otherwise one line that says what is not.
Result<FigureFileOptions> export_options(const ExportSettings& settings);

/// The files that `path` stands for: one for each format, with its ending.
Result<std::vector<std::filesystem::path>> export_paths(const std::string& path, const ExportSettings& settings);

/// Follows what was typed: an ending that names a format is that format alone.
void choose_format_of(const std::string& path, ExportSettings& settings);

/// `path` with an ending that fits the formats.
std::string path_for_formats(const std::string& path, const ExportSettings& settings);

/// A path like that which begins with `stem` and replaces no file.
std::string free_export_path(const std::string& stem, const ExportSettings& settings);

}  // namespace attnscope::ui
