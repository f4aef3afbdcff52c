#include "offscreen/offscreen_interface.h"

#include <dlfcn.h>
#include <glad/gl.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>

#include "ui/imgui/imgui_compat.h"

namespace attnscope::test {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough for the slowest machine under the slowest sanitizer; nothing waits that long where all is well.
constexpr std::chrono::seconds kPatience{120};

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

platform::OffscreenContext make_context(int width, int height, bool renderer_threads) {
  setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
  // In this thread what Mesa keeps does not depend on the time. With threads of its own it begins another list of what
  // to draw whenever they are not done with the last one, and a list keeps its textures, deleted ones too, until it is
  // begun anew: on a busy machine an old font atlas stays, 8.4 MB, where on an idle one it does not.
  if (!renderer_threads) setenv("LP_NUM_THREADS", "0", 1);
  return value_of(platform::OffscreenContext::create(width, height));
}

/// ImGui 1.92 finds OpenGL's functions once in a process, but unloads their library with each host: the next host would
/// call what is no longer there.
void keep_opengl_loaded() {
  for (const char* library : {"libOpenGL.so.0", "libGL.so.1", "libGL.so"})
    dlopen(library, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/// Combo boxes are numbered by the popups around them in early versions of ImGui, and by the combo boxes in later ones.
/// Only one is open in the tests.
std::string_view common_name(std::string_view window) {
  constexpr std::string_view combo = "##Combo_";
  return window.starts_with(combo) ? combo : window;
}

/// What identifies a window: all of its name, but of File###Menu_00 only ##Menu_00. Early versions of ImGui name menus
/// like that, later ones put their label in front.
std::string_view identity(std::string_view window) {
  const std::size_t label_end = window.find("###");
  return label_end == std::string_view::npos ? window : window.substr(label_end + 1);
}

ImGuiWindow* shown_window(std::string_view name) {
  for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (window->Active && identity(window->Name).starts_with(common_name(name))) return window;
  }
  return nullptr;
}

ImGuiID id_of(const ImGuiWindow& window, const ItemPath& path) {
  ImGuiID id = window.ID;
  for (const auto& part : path) {
    if (const std::string* label = std::get_if<std::string>(&part)) {
      id = ImHashStr(*label == "##menubar" ? ui::kMenuBarId : label->c_str(), 0, id);
    } else {
      const int number = std::get<int>(part);
      id = ImHashData(&number, sizeof number, id);
    }
  }
  return id;
}

Rect rect_of(const ImRect& rect) {
  return {static_cast<double>(rect.Min.x), static_cast<double>(rect.Min.y), static_cast<double>(rect.GetWidth()),
          static_cast<double>(rect.GetHeight())};
}

}  // namespace

OffscreenInterface::OffscreenInterface(const InterfaceOptions& options)
    : context_(make_context(options.width, options.height, options.renderer_threads)), scale_(options.scale) {
  host_ = std::make_unique<ui::ImGuiHost>(nullptr);
  keep_opengl_loaded();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(options.width), static_cast<float>(options.height));
  io.DeltaTime = 1.0F / 60;
  ui::WorkbenchOptions workbench_options;
  workbench_options.theme = options.theme;
  workbench_options.scale = options.scale;
  workbench_options.memory_budget = options.memory_budget;
  workbench_options.shader_folder = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "shaders";
  workbench_options.fonts = value_of(find_font_files());
  workbench_options.lessons = [lessons = options.lessons] { return lessons; };
  workbench_options.user_folder = options.user_folder;
  workbench_options.patience = options.patience;
  workbench_options.file_dialog = options.file_dialog;
  Experiment experiment = options.experiment ? *options.experiment : value_of(default_experiment("worked-example"));
  workbench_ = value_of(ui::Workbench::create(*host_, std::move(experiment), "", workbench_options));
  move({-100, -100});
  settle();
}

OffscreenInterface::~OffscreenInterface() {
  context_.bind();
  workbench_.reset();
  host_.reset();
}

void OffscreenInterface::advance(bool draw) {
  const auto start = Clock::now();
  workbench_->frame();
  if (draw) {
    context_.clear(ui::rgba(workbench_->look().colors().line), workbench_->backdrop());
    host_->render();
    // In place of showing it: a driver that never shows anything keeps what it has been told.
    glFinish();
  } else {
    ImGui::Render();
  }
  workbench_->finish(std::chrono::duration<double>(Clock::now() - start).count());
}

void OffscreenInterface::frame(int count) {
  for (int i = 0; i < count; ++i) advance(drawn_);
}

void OffscreenInterface::settle() {
  const auto start = Clock::now();
  // A frame for ImGui to see the last input, one for what follows from it.
  frame(2);
  while (true) {
    const bool current = workbench_->trace() != nullptr &&
                         workbench_->trace()->experiment() == workbench_->shown_figure().playback().shown();
    const bool at_rest = current && !workbench_->busy() && !workbench_->animating();
    if (Clock::now() - start > kPatience) throw std::runtime_error("the interface does not come to rest");
    if (workbench_->busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    // Shows what was finished just before, which then may begin to move.
    frame();
    if (at_rest && !workbench_->busy() && !workbench_->animating()) break;
  }
}

platform::Image OffscreenInterface::picture() {
  advance(true);
  return context_.read_pixels();
}

void OffscreenInterface::resize(int width, int height) {
  value_of(context_.resize(width, height).map([] { return 0; }));
  ImGui::GetIO().DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
}

void OffscreenInterface::set_scale(float scale) {
  scale_ = scale;
  workbench_->set_scale(scale);
}

void OffscreenInterface::move(Point to) {
  ui::feed_mouse_position(static_cast<float>(to.x), static_cast<float>(to.y));
  frame();
}

void OffscreenInterface::press() {
  ui::feed_mouse_button(0, true);
  frame();
}

void OffscreenInterface::release() {
  ui::feed_mouse_button(0, false);
  frame(2);
}

void OffscreenInterface::click(Point at) {
  // A second apart from the click before, or ImGui takes both for a double click.
  ImGui::GetIO().DeltaTime = 1;
  move(at);
  ImGui::GetIO().DeltaTime = 1.0F / 60;
  frame();
  press();
  release();
}

void OffscreenInterface::double_click(Point at) {
  click(at);
  press();
  release();
}

void OffscreenInterface::drag(Point from, Point to, int steps) {
  move(from);
  frame();
  press();
  for (int i = 1; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    move({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share});
  }
}

void OffscreenInterface::wheel(float notches) {
  ui::feed_mouse_wheel(notches);
  frame(2);
}

void OffscreenInterface::press_key(const platform::KeyPress& press) {
  // A text field hears of a key from ImGui, a shortcut from the window.
  ui::feed_modifiers(press.control, press.shift, press.alt);
  workbench_->press(press);
  ui::feed_key(press.key, true);
  frame();
  ui::feed_key(press.key, false);
  ui::feed_modifiers(false, false, false);
  frame(2);
}

void OffscreenInterface::key(int key) { press_key({key, false, false}); }
void OffscreenInterface::key_with_control(int key, bool shift) { press_key({key, true, shift}); }
void OffscreenInterface::key_with_shift(int key) { press_key({key, false, true}); }
void OffscreenInterface::key_with_alt(int key) { press_key({key, false, false, true}); }

void OffscreenInterface::control_click(Point at) {
  ui::feed_modifiers(true, false, false);
  click(at);
  ui::feed_modifiers(false, false, false);
  frame();
}

void OffscreenInterface::type(std::string_view text) {
  for (const char c : text) {
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(c));
    frame();
  }
}

void OffscreenInterface::retype(std::string_view text) {
  key_with_control('A');
  key(kBackspace);
  type(text);
}

bool OffscreenInterface::hovers(Point at, ImGuiID id) {
  ui::feed_mouse_position(static_cast<float>(at.x), static_cast<float>(at.y));
  advance(false);
  return ImGui::GetCurrentContext()->HoveredId == id;
}

std::optional<Point> OffscreenInterface::navigated(ImGuiWindow& window, ImGuiID id) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  // A popup would close when another window gets the keyboard.
  if (!g.OpenPopupStack.empty() && g.OpenPopupStack.back().Window != window.RootWindow) return std::nullopt;
  const auto before = std::tuple(g.NavId, g.NavWindow, g.NavLayer);
  std::tie(g.NavId, g.NavWindow) = std::pair(id, &window);
  advance(false);
  std::optional<Rect> place;
  if (g.NavIdIsAlive && g.NavId == id)
    place = rect_of(ImGui::WindowRectRelToAbs(&window, window.NavRectRel[g.NavLayer]))
                .intersection(rect_of(window.ClipRect));
  std::tie(g.NavId, g.NavWindow, g.NavLayer) = before;
  if (!place || !hovers(place->center(), id)) return std::nullopt;
  return place->center();
}

std::optional<Point> OffscreenInterface::search(const Rect& place, ImGuiID id, double step) {
  for (double y = place.y + step / 2; y < place.bottom(); y += step) {
    for (double x = place.x + step / 2; x < place.right(); x += std::max(step, 10.0)) {
      if (hovers({x, y}, id)) return Point{x, y};
    }
  }
  return std::nullopt;
}

ImGuiID OffscreenInterface::id(std::string_view name, const ItemPath& path) {
  const ImGuiWindow* window = shown_window(name);
  if (window == nullptr) throw std::runtime_error("no window " + std::string(name));
  return id_of(*window, path);
}

Rect OffscreenInterface::item(std::string_view name, const ItemPath& path) {
  const ImGuiID id = OffscreenInterface::id(name, path);
  ImGuiWindow* window = shown_window(name);
  const Rect place = rect_of(window->Rect());
  // What the keyboard cannot reach is looked for with the mouse: down the middle, where every slider is; then everywhere.
  std::optional<Point> found = navigated(*window, id);
  if (!found) found = search({place.center().x - 3, place.y, 6, place.height}, id, 6);
  if (!found) found = search(place, id, 8);
  if (!found) throw std::runtime_error("nothing in " + std::string(name) + " answers to that name");
  // How far a control reaches from a point in it, to the pixel. The mouse stays within the window: a menu would close.
  const auto reach = [&](Point direction, double room) {
    double inside = 0;
    double outside = std::floor(room) + 1;
    while (outside - inside > 1) {
      const double middle = std::floor((inside + outside) / 2);
      (hovers({found->x + direction.x * middle, found->y + direction.y * middle}, id) ? inside : outside) = middle;
    }
    return inside;
  };
  const double left = reach({-1, 0}, found->x - place.x);
  const double up = reach({0, -1}, found->y - place.y);
  const double right = reach({1, 0}, place.right() - found->x);
  const double down = reach({0, 1}, place.bottom() - found->y);
  const Rect rect = {found->x - left, found->y - up, left + right + 1, up + down + 1};
  move({-100, -100});
  return rect;
}

bool OffscreenInterface::is_open(std::string_view window) const { return shown_window(window) != nullptr; }

Rect OffscreenInterface::window_place(std::string_view name) const {
  const ImGuiWindow* window = shown_window(name);
  if (window == nullptr) throw std::runtime_error("no window " + std::string(name));
  return rect_of(window->Rect());
}

FigureTransform OffscreenInterface::transform() {
  const Figure& figure = workbench_->shown_figure().figure();
  const Rect place = picture_place();
  const ui::Camera& camera = state().camera;
  const auto unit = static_cast<double>(workbench_->look().scale());
  const double fit = std::min({unit, place.width / figure.width, place.height / figure.height}) * camera.zoom;
  return {fit,
          std::min(fit, unit),
          {place.center().x + camera.pan.x * unit - figure.width / 2 * fit,
           place.center().y + camera.pan.y * unit - figure.height / 2 * fit}};
}

Point OffscreenInterface::cell_center(std::size_t heatmap, Index row, Index column) {
  const HeatmapMark& mark = workbench_->shown_figure().figure().heatmaps.at(heatmap);
  const auto along = [](Index at, Index count) { return (static_cast<double>(at) + 0.5) / static_cast<double>(count); };
  return on_screen({mark.box.x + mark.box.width * along(column, mark.columns()),
                    mark.box.y + mark.box.height * along(row, mark.rows())});
}

int different_pixels(const platform::Image& a, const platform::Image& b, const Rect& area) {
  if (a.width != b.width || a.height != b.height) throw std::runtime_error("pictures of different sizes");
  int different = 0;
  const int bottom = std::min(a.height, static_cast<int>(area.bottom()));
  const int right = std::min(a.width, static_cast<int>(area.right()));
  for (int y = std::max(0, static_cast<int>(area.y)); y < bottom; ++y) {
    for (int x = std::max(0, static_cast<int>(area.x)); x < right; ++x) different += a.pixel(x, y) != b.pixel(x, y);
  }
  return different;
}

}  // namespace attnscope::test
