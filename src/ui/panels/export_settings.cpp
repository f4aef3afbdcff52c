#include "ui/panels/export_settings.h"

#include <algorithm>

#include "core/base/text.h"
#include "io/base/paths.h"

namespace attnscope::ui {
namespace {

std::size_t position_of(FigureFormat format) {
  const auto found = std::ranges::find(kFigureFormats, format, &FigureFormatEntry::format);
  return static_cast<std::size_t>(found - kFigureFormats.begin());
}

}  // namespace

bool is_selected(const ExportSettings& settings, FigureFormat format) { return settings.formats[position_of(format)]; }

Result<FigureFileOptions> export_options(const ExportSettings& settings) {
  FigureFileOptions options = settings.file;
  if (options.preset) {
    // Its sizes count, whatever is typed in the fields that it disables.
    options.width_inches = preset_of(*options.preset).width_inches;
    options.font_points = kUsualPoints;
  }
  const bool fixed = settings.fixed_height && !options.preset;
  options.height_inches = fixed ? settings.height_inches : 0;
  // For a file 0 means an automatic height, so its own check would let it pass.
  if (fixed && settings.height_inches == 0) return fail("height of 0 inches: must be 0.5 to 200");
  if (!settings.range.empty()) {
    options.content.range = parse_range(settings.range);
    if (!options.content.range)
      return fail("range " + quoted_text(settings.range) +
                  ": must be two numbers as 0,0.5, the lower one first, at most 3.4e38 apart");
  }
  if (Result<void> possible = check_figure_options(options); !possible) return tl::unexpected(possible.error());
  return options;
}

Result<std::vector<std::filesystem::path>> export_paths(const std::string& path, const ExportSettings& settings) {
  std::filesystem::path base = path;
  if (!base.has_filename()) return fail("the name of the file is missing");
  if (base.has_extension()) {
    if (const Result<FigureFormat> format = figure_format(base); !format) return tl::unexpected(format.error());
  }
  std::vector<std::filesystem::path> paths;
  const Result<FigureFormat> typed = figure_format(base);
  for (std::size_t i = 0; i < kFigureFormats.size(); ++i) {
    if (!settings.formats[i]) continue;
    // The typed extension stays as it is, for example in capitals.
    const bool is_typed = typed && *typed == kFigureFormats[i].format;
    paths.push_back(is_typed ? base : std::filesystem::path(base).replace_extension(kFigureFormats[i].extension));
  }
  if (paths.empty()) {
    std::vector<std::string> names;
    names.reserve(kFigureFormats.size());
    for (const FigureFormatEntry& each : kFigureFormats) names.emplace_back(each.name);
    return fail("no format is chosen: " + listed(names, " or "));
  }
  return paths;
}

void choose_format_of(const std::string& path, ExportSettings& settings) {
  const Result<FigureFormat> format = figure_format(path);
  if (!format || is_selected(settings, *format)) return;
  settings.formats = {};
  settings.formats[position_of(*format)] = true;
}

std::string path_for_formats(const std::string& path, const ExportSettings& settings) {
  const Result<FigureFormat> format = figure_format(path);
  const auto first = std::ranges::find(settings.formats, true);
  if (!format || first == settings.formats.end() || is_selected(settings, *format)) return path;
  const auto at = static_cast<std::size_t>(first - settings.formats.begin());
  return std::filesystem::path(path).replace_extension(kFigureFormats[at].extension).string();
}

std::string free_export_path(const std::string& stem, const ExportSettings& settings) {
  const auto is_free = [&](const std::string& path) {
    const auto paths = export_paths(path, settings);
    return !paths || std::ranges::all_of(*paths, [](const auto& each) { return free_path(each) == each; });
  };
  std::string path = path_for_formats(stem + ".pdf", settings);
  for (int number = 2; number < 1000 && !is_free(path); ++number)
    path = path_for_formats(stem + "-" + std::to_string(number) + ".pdf", settings);
  return path;
}

}  // namespace attnscope::ui
