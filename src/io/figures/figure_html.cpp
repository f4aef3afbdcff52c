#include "io/figures/figure_html.h"

#include <vector>

#include "core/base/text.h"
#include "io/canvas/canvas_style.h"

namespace attnscope {
namespace {

std::string css_color(Rgb color) {
  return "rgb(" + std::to_string(color.red) + " " + std::to_string(color.green) + " " + std::to_string(color.blue) +
         ")";
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// The figure as an element of the page. Its names get a prefix: the page may hold the figure twice.
Result<std::string> svg_element(const Figure& figure, FigureFileOptions options, Theme theme) {
  options.theme = theme;
  Result<std::string> svg = figure_bytes(figure, FigureFormat::svg, options);
  if (!svg) return svg;
  svg->erase(0, svg->find("<svg"));
  const std::string prefix = std::string(theme_name(theme)) + "-";
  // In texts of the figure, quotes are escaped.
  replace_all(*svg, " id=\"", " id=\"" + prefix);
  replace_all(*svg, "=\"url(#", "=\"url(#" + prefix);
  return "<div class=\"" + std::string(theme_name(theme)) + "\">\n" + *svg + "</div>\n";
}

std::string colors_of(Theme theme) {
  const Palette& colors = palette(theme);
  return "background: " + css_color(colors.background) + "; color: " + css_color(colors.text) +
         "; --dim: " + css_color(colors.dim) + "; --accent: " + css_color(colors.accent) +
         "; --line: " + css_color(colors.line);
}

std::string style_of(const FigureFileOptions& options, bool both) {
  const Theme theme = both ? Theme::light : options.theme;
  std::string style = "body { margin: 0 auto; padding: 1rem; max-width: " + exact_text(options.width_inches) +
                      "in; font: 1rem/1.5 system-ui, sans-serif; " + colors_of(theme) + " }\n" +
                      "figure { margin: 0 }\nsvg { display: block; width: 100%; height: auto }\n"
                      "figcaption, p { color: var(--dim); font-size: .875rem; overflow-wrap: anywhere }\n"
                      "a, summary { color: var(--accent) }\n"
                      "code { white-space: pre-wrap }\n"
                      "iframe { width: 100%; height: 80vh; border: 1px solid var(--line) }\n";
  if (!both) return style;
  return style + ".dark { display: none }\n@media (prefers-color-scheme: dark) {\nbody { " + colors_of(Theme::dark) +
         " }\n.light { display: none }\n.dark { display: block }\n}\n";
}

/// How to get from the picture to the program.
std::string way_to_program(const FigureHtml& html) {
  if (html.link.empty()) return {};
  const std::string link = xml_escaped(html.link);
  if (!html.is_live) return "<p>To open it: <code>attnscope &#39;" + link + "&#39;</code></p>\n";
  // The frame is filled only when its reader opens it.
  return "<p><a href=\"" + link +
         "\" rel=\"noreferrer\">Open it live</a></p>\n<details>\n<summary>Live, on this page</summary>\n" +
         "<iframe src=\"" + link +
         "\" loading=\"lazy\" referrerpolicy=\"no-referrer\" title=\"attnscope\"></iframe>\n" + "</details>\n";
}

}  // namespace

Result<std::string> figure_html(const Figure& figure, const FigureFileOptions& options, const FigureHtml& html) {
  const bool both = html.both_themes;
  std::string pictures;
  const std::vector<Theme> themes = both ? std::vector{Theme::light, Theme::dark} : std::vector{options.theme};
  for (const Theme theme : themes) {
    Result<std::string> svg = svg_element(figure, options, theme);
    if (!svg) return svg;
    pictures += *svg;
  }
  const std::string title = xml_escaped(figure.title.empty() ? "attnscope" : figure.title);
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"";
  page += both ? "light dark" : options.theme == Theme::dark ? "dark" : "light";
  page += "\"/>\n<title>" + title + "</title>\n<style>\n" + style_of(options, both) +
          "</style>\n</head>\n<body>\n<figure>\n" + pictures + "<figcaption>" + xml_escaped(html.caption) +
          "</figcaption>\n</figure>\n" + way_to_program(html) + "</body>\n</html>\n";
  return page;
}

}  // namespace attnscope
