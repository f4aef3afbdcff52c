#include "app/cli/command_figure.h"

#include <utility>

#include "app/jobs/figure_builder.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "figure/views/view.h"

namespace attnscope {
namespace {

/// Computes the baseline, if there is one, beside `trace`.
Result<std::shared_ptr<const Trace>> computed_baseline(const ExperimentSource& source, const Trace& trace) {
  if (!source.pinned) return nullptr;
  // Both traces are in memory at the same time.
  const double left = trace.bytes_left();
  if (const Result<void> fits = validate(*source.pinned, left); !fits)
    return fail("pinned: " + fits.error().message + " next to the experiment; ATTNSCOPE_MEMORY_MB sets the limit");
  return Executor(left).run(*source.pinned);
}

/// About each --option that the figure does not depend on.
void warn_of_idle_options(const FigureOptions& options, const Trace& trace, const std::string& name,
                          const ParameterValues& chosen, std::vector<std::string>& warnings) {
  const View* const view = find_view(name);
  if (view == nullptr) return;
  for (const std::string& setting : options.view_options) {
    const std::string option = setting.substr(0, setting.find('='));
    if (option_applies(*view, trace, chosen, option)) continue;
    std::string warning = "--option " + option + " changes nothing here";
    if (option == "attention" && option_applies(*view, trace, chosen, "layer"))
      warning += "; layer chooses the attention, cross-attention too";
    warnings.push_back(std::move(warning));
  }
}

}  // namespace

Result<CommandFigure> command_figure(const FigureOptions& options, const FigureFileOptions& file,
                                     std::span<const std::filesystem::path> outputs) {
  Result<ExperimentSource> source = load_source(options);
  if (!source) return tl::unexpected(source.error());
  Experiment* const experiment = &source->experiment;
  Result<ViewOptions> view = selected_view(options, *experiment);
  if (!view) return tl::unexpected(view.error());
  const ViewOptions asked = *view;
  if (const Result<void> noted = note_pinned(options, *source, *view); !noted) return tl::unexpected(noted.error());
  if (const Result<void> spared = check_spares_inputs(outputs, figure_inputs(options, *source)); !spared)
    return tl::unexpected(spared.error());
  const auto trace = Executor(*memory_budget()).run(*experiment);
  if (!trace) return tl::unexpected(trace.error());
  if (const Result<void> there = check_view(**trace, experiment->view.name, asked); !there)
    return tl::unexpected(there.error());
  const auto pinned = computed_baseline(*source, **trace);
  if (!pinned) return tl::unexpected(pinned.error());
  view->for_file = true;
  view->font = file.font;
  view->pinned = pinned->get();
  // What a view measures is the same on every page that is tried.
  ViewCache cache;
  view->cache = &cache;
  const auto build = [&](double width, double height) {
    view->width = width;
    view->height = height;
    return build_view(experiment->view.name, **trace, *view);
  };
  Result<FittedFigure> fitted = fitted_figure(build, file, experiment->view.name);
  if (!fitted) return tl::unexpected(fitted.error());
  const Figure& figure = fitted->figure;
  if (const std::string why = failure_of(figure); !why.empty()) return fail(why);
  if (figure.only_says_why) return fail("view " + experiment->view.name + ": " + figure.title);
  std::vector<std::string> warnings = warnings_of(**trace);
  warn_of_idle_options(options, **trace, experiment->view.name, view->values, warnings);
  // Who asks for no size takes what there is room for.
  if (options.font_points) {
    if (const auto smaller = smaller_type(build, fitted->figure, file))
      warnings.push_back(smaller_type_warning(*smaller, options));
  }
  return CommandFigure{std::move(*source), std::move(*fitted), std::move(warnings), *trace, *pinned};
}

}  // namespace attnscope
