#include <algorithm>

#include "core/base/text.h"
#include "figure/slices/moments.h"
#include "figure/slices/selected.h"
#include "figure/slices/view_sentence.h"
#include "figure/views/view.h"

namespace attnscope {

std::span<const View> views() {
  static const std::vector<View> list = make_views();
  return list;
}

const View* find_view(std::string_view name) {
  const std::span<const View> all = views();
  const auto found = std::find_if(all.begin(), all.end(), [&](const View& view) { return view.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Result<ViewOptions> view_options(const ViewChoice& choice) {
  const View* view = find_view(choice.name);
  if (view == nullptr) {
    std::vector<std::string> names;
    for (const View& each : views()) names.push_back(each.name);
    const std::string nearest = suggestion_text(choice.name, names);
    return fail("view: " + quoted_text(choice.name) + " is unknown" +
                (nearest.empty() ? "; allowed: " + join(names, ", ") : nearest));
  }
  ViewOptions options;
  std::vector<std::string> names;
  for (const Parameter& option : view->options) {
    options.values[option.name] = option.default_value;
    names.push_back(option.name);
  }
  for (const auto& [name, value] : choice.options) {
    const Parameter* option = find_parameter(view->options, name);
    if (option == nullptr) {
      return fail("view option " + quoted_text(name) + " is unknown to " + view->name +
                  "; allowed: " + join(names, ", "));
    }
    ParameterValue meant = value;
    // A file in which somebody wrote 1 means 1.0.
    const Index* whole = std::get_if<Index>(&value);
    if (whole != nullptr && option->kind == Parameter::Kind::real) meant = static_cast<double>(*whole);
    if (Result<void> checked = check_value(*option, meant); !checked) {
      return fail("view option " + checked.error().message);
    }
    options.values[name] = std::move(meant);
  }
  return options;
}

Figure reason_figure(const std::string& why, const ViewOptions& options) {
  constexpr double margin = 16;
  constexpr double least = 320;  // width of a line
  constexpr double line = 24;
  const std::vector<std::string> lines =
      wrapped_text(why, std::max(least, options.width - 2 * margin), TypeSize::kTitle, FontWeight::regular);
  double widest = 0;
  for (const std::string& each : lines) widest = std::max(widest, text_width(each, TypeSize::kTitle));
  const double height = line * static_cast<double>(lines.size());
  Figure figure;
  figure.width = std::max(options.width, widest + 2 * margin);
  figure.height = std::max({options.height, 120.0, height + 2 * margin});
  figure.title = why;
  figure.only_says_why = true;
  double y = (figure.height - height + line) / 2;
  for (std::size_t i = 0; i < lines.size(); ++i, y += line) {
    figure.texts.push_back({i == 0 ? "missing" : "missing." + std::to_string(i),
                            {figure.width / 2, y},
                            lines[i],
                            TypeSize::kTitle,
                            FontWeight::regular,
                            Ink::dim,
                            HorizontalAlign::center,
                            VerticalAlign::middle,
                            0});
  }
  return figure;
}

bool option_applies(const View& view, const Trace& trace, const ParameterValues& options, std::string_view option) {
  return missing_for(view, trace).empty() && (view.applies == nullptr || view.applies(trace, options, option));
}

Index option_limit(const View& view, const Trace& trace, std::string_view option, const ParameterValues& options) {
  const bool is_page = option == "page";
  if (!is_page && option != "moment") return option_limit(trace, option, options);
  const auto count = is_page ? view.pages : view.moments;
  if (count == nullptr || !missing_for(view, trace).empty()) return is_page ? 1 : 0;
  return count(trace, options);
}

Result<void> check_option(const View& view, const Trace& trace, const std::string& name,
                          const ParameterValues& options) {
  const auto chosen = options.find(name);
  if (chosen == options.end()) return {};
  const Index limit = option_limit(view, trace, name, options);
  if (std::get<Index>(chosen->second) <= limit) return {};
  // Below 0 an option chooses by itself.
  const bool of_view = name == "page" || name == "moment";
  const double minimum = find_parameter(view.options, name)->minimum;
  const Index least = minimum < 0 || name == "moment" ? 0 : 1;
  const std::string has = of_view ? "; the view has " : "; the experiment has ";
  return fail("view option " + name + ": " + value_text(chosen->second) + " is not allowed" + has +
              std::to_string(least) + " to " + std::to_string(limit));
}

Result<void> check_options(const View& view, const Trace& trace, const ParameterValues& options) {
  for (const char* name : {"layer", "head", "item", "page", "position", "after", "token", "other_token", "moment"}) {
    if (Result<void> checked = check_option(view, trace, name, options); !checked) return checked;
  }
  return {};
}

bool shows_attention(const View& view) { return find_parameter(view.options, "item") != nullptr; }

std::string missing_for(const View& view, const Trace& trace) {
  return view.missing != nullptr ? view.missing(trace) : std::string();
}

namespace {

/// " Page 2 of 3.", where there are several.
std::string page_text(const View& view, const Trace& trace, const ParameterValues& options) {
  const Index pages = option_limit(view, trace, "page", options);
  if (pages < 2 || !option_applies(view, trace, options, "page")) return "";
  const Index page = std::min(std::get<Index>(options.find("page")->second), pages);
  return " Page " + grouped_text(page) + " of " + grouped_text(pages) + ".";
}

/// " Moment 12 of 43 of query 2.", where the view shows one.
std::string moment_sentence(const View& view, const Trace& trace, const ParameterValues& options) {
  const Index moment = chosen_moment(options);
  if (moment == 0) return "";
  const Index count = option_limit(view, trace, "moment", options);
  if (count == 0) return "";
  const Index query = std::min(std::get<Index>(options.find("query")->second), option_limit(trace, "query", options));
  return " Moment " + grouped_text(std::min(moment, count)) + " of " + grouped_text(count) +
         " of the computation of query " + grouped_text(query) + "; what comes later is empty.";
}

}  // namespace

Figure build_view(std::string_view name, const Trace& trace, const ViewOptions& options) {
  const View& view = *find_view(name);
  const FontScope font(options.font);
  const std::string missing = missing_for(view, trace);
  if (!missing.empty()) return reason_figure(missing, options);
  const auto failures = [&] { return trace.failures() + (options.pinned != nullptr ? options.pinned->failures() : 0); };
  const std::uint64_t before = failures();
  Figure figure = view.build(trace, options);
  figure.font = options.font;
  // In the window nobody reads it.
  if (options.for_file && figure.width > 0 && !figure.only_says_why && failures() == before)
    figure.sentence = view_sentence(name, trace, options, figure) + page_text(view, trace, options.values) +
                      moment_sentence(view, trace, options.values);
  if (failures() == before) return figure;
  // What was read on the way is in places, texts and colours: no part of it can be trusted.
  const std::string why = trace.failures() > 0 ? *trace.failure() : *options.pinned->failure();
  figure = reason_figure(why, options);
  figure.failure = why;
  return figure;
}

}  // namespace attnscope
