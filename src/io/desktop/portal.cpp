#include "io/desktop/portal.h"

#include <gio/gio.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "io/base/printable.h"

namespace attnscope {
namespace {

constexpr const char* kCrashed = "the desktop's file dialog has crashed";
constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPath = "/org/freedesktop/portal/desktop";
constexpr const char* kChooser = "org.freedesktop.portal.FileChooser";
constexpr const char* kRequest = "org.freedesktop.portal.Request";
// Milliseconds: for the desktop to start its portal, and between two looks whether to stop.
constexpr int kStartTime = 5000;
constexpr gulong kPause = 20;

// The deleters of GLib's objects.
struct Free {
  void operator()(void* memory) const { g_free(memory); }
  void operator()(GError* error) const { g_error_free(error); }
  void operator()(GVariant* value) const { g_variant_unref(value); }
  void operator()(GMainContext* context) const { g_main_context_unref(context); }
  void operator()(GDBusConnection* bus) const { g_object_unref(bus); }
  void operator()(GAsyncResult* result) const { g_object_unref(result); }
  void operator()(GCancellable* cancellable) const { g_object_unref(cancellable); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

/// The bus of the desktop session, without starting one.
std::string bus_address() {
  const char* const address = std::getenv("DBUS_SESSION_BUS_ADDRESS");
  if (address != nullptr && *address != '\0') return address;
  const char* const folder = std::getenv("XDG_RUNTIME_DIR");
  if (folder == nullptr || *folder == '\0') return "";
  const std::string socket = std::string(folder) + "/bus";
  return ::access(socket.c_str(), W_OK) == 0 ? "unix:path=" + socket : "";
}

/// GLib delivers signals in a context; one of our own leaves the rest of the program alone.
class OwnContext {
 public:
  OwnContext() : context_(g_main_context_new()) { g_main_context_push_thread_default(context_.get()); }
  ~OwnContext() {
    g_main_context_pop_thread_default(context_.get());
    // What is on its way holds references to us.
    while (g_main_context_iteration(context_.get(), FALSE) != FALSE) continue;
  }
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;

  /// Handles what has come in, then pauses.
  void step() const {
    while (g_main_context_iteration(context_.get(), FALSE) != FALSE) continue;
    g_usleep(kPause * 1000);
  }

 private:
  Owned<GMainContext> context_;
};

/// The answer of the portal, as its signals bring it.
struct Answer {
  bool given = false;
  bool lost = false;  ///< the portal left the bus
  guint32 code = 0;
  Owned<GVariant> results;
};

void on_response(GDBusConnection*, const char*, const char*, const char*, const char*, GVariant* parameters,
                 void* data) {
  auto& answer = *static_cast<Answer*>(data);
  if (answer.given || g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ua{sv})")) == FALSE) return;
  GVariant* results = nullptr;
  g_variant_get(parameters, "(u@a{sv})", &answer.code, &results);
  answer.results.reset(results);
  answer.given = true;
}

void on_owner_changed(GDBusConnection*, const char*, const char*, const char*, const char*, GVariant* parameters,
                      void* data) {
  const char* owner = nullptr;
  if (g_variant_is_of_type(parameters, G_VARIANT_TYPE("(sss)")) == FALSE) return;
  g_variant_get(parameters, "(&s&s&s)", nullptr, nullptr, &owner);
  static_cast<Answer*>(data)->lost = *owner == '\0';
}

/// A question to the portal, from its call to its answer.
class PortalRequest {
 public:
  explicit PortalRequest(GDBusConnection* bus) : bus_(bus) {
    subscriptions_[0] = g_dbus_connection_signal_subscribe(
        bus, "org.freedesktop.DBus", "org.freedesktop.DBus", "NameOwnerChanged", nullptr, kPortal,
        G_DBUS_SIGNAL_FLAGS_NONE, on_owner_changed, &answer_, nullptr);
    // The path that the request gets is known before the call: no answer can come too early.
    std::string sender = g_dbus_connection_get_unique_name(bus) + 1;
    for (char& letter : sender) letter = letter == '.' ? '_' : letter;
    static unsigned count = 0;
    token_ = "attnscope" + std::to_string(::getpid()) + "_" + std::to_string(++count);
    listen(kPath + ("/request/" + sender + "/" + token_));
  }
  ~PortalRequest() {
    for (const guint each : subscriptions_) {
      if (each != 0) g_dbus_connection_signal_unsubscribe(bus_, each);
    }
  }
  PortalRequest(const PortalRequest&) = delete;
  PortalRequest& operator=(const PortalRequest&) = delete;

  [[nodiscard]] const std::string& token() const { return token_; }

  /// Listens to the path that an old portal chose itself.
  void listen(const std::string& path) {
    if (path == path_) return;
    path_ = path;
    if (subscriptions_[1] != 0) g_dbus_connection_signal_unsubscribe(bus_, subscriptions_[1]);
    subscriptions_[1] = g_dbus_connection_signal_subscribe(bus_, kPortal, kRequest, "Response", path.c_str(), nullptr,
                                                           G_DBUS_SIGNAL_FLAGS_NONE, on_response, &answer_, nullptr);
  }

  void close() const {
    g_dbus_connection_call(bus_, kPortal, path_.c_str(), kRequest, "Close", nullptr, nullptr, G_DBUS_CALL_FLAGS_NONE,
                           -1, nullptr, nullptr, nullptr);
    g_dbus_connection_flush_sync(bus_, nullptr, nullptr);
  }

  [[nodiscard]] const Answer& answer() const { return answer_; }

 private:
  GDBusConnection* bus_;
  std::string token_;
  std::string path_;
  guint subscriptions_[2] = {};
  Answer answer_;
};

GVariant* filter_value(const FileFilter& filter) {
  GVariantBuilder patterns;
  g_variant_builder_init(&patterns, G_VARIANT_TYPE("a(us)"));
  for (const std::string& pattern : filter.patterns) g_variant_builder_add(&patterns, "(us)", 0U, pattern.c_str());
  return g_variant_new("(sa(us))", filter.name.c_str(), &patterns);
}

void add_option(GVariantBuilder& options, const char* name, GVariant* value) {
  g_variant_builder_add(&options, "{sv}", name, value);
}

/// The arguments of OpenFile and SaveFile.
GVariant* arguments_of(const FileQuestion& question, const std::string& token) {
  GVariantBuilder options;
  g_variant_builder_init(&options, G_VARIANT_TYPE("a{sv}"));
  add_option(options, "handle_token", g_variant_new_string(token.c_str()));
  add_option(options, "accept_label", g_variant_new_string(question.confirm.c_str()));
  add_option(options, "modal", g_variant_new_boolean(TRUE));
  if (question.folder) add_option(options, "directory", g_variant_new_boolean(TRUE));
  if (!question.saves) add_option(options, "multiple", g_variant_new_boolean(question.several ? TRUE : FALSE));
  if (const std::string folder = question.start.parent_path().string(); !folder.empty())
    add_option(options, "current_folder", g_variant_new_bytestring(folder.c_str()));
  // D-Bus carries UTF-8 only: a name that is none is not suggested.
  const std::string name = question.start.filename().string();
  if (question.saves && !name.empty() && g_utf8_validate(name.c_str(), -1, nullptr) != FALSE)
    add_option(options, "current_name", g_variant_new_string(name.c_str()));
  if (!question.filters.empty()) {
    GVariantBuilder filters;
    g_variant_builder_init(&filters, G_VARIANT_TYPE("a(sa(us))"));
    for (const FileFilter& filter : question.filters) g_variant_builder_add_value(&filters, filter_value(filter));
    add_option(options, "filters", g_variant_builder_end(&filters));
    add_option(options, "current_filter", filter_value(question.filters.front()));
  }
  return g_variant_new("(ssa{sv})", question.parent_window.c_str(), question.title.c_str(), &options);
}

/// The error of a call on one line, without the name that D-Bus puts in front.
tl::unexpected<Error> portal_trouble(const char* what, GError* error) {
  g_dbus_error_strip_remote_error(error);
  return fail(std::string("the desktop's file dialog ") + what + ": " + printable(error->message));
}

Result<ChosenFiles> chosen_files(const Answer& answer) {
  ChosenFiles files;
  const Owned<GVariant> uris(g_variant_lookup_value(answer.results.get(), "uris", G_VARIANT_TYPE("as")));
  if (uris == nullptr) return fail("the desktop's file dialog returned no file");
  GVariantIter iterator;
  g_variant_iter_init(&iterator, uris.get());
  const char* uri = nullptr;
  while (g_variant_iter_next(&iterator, "&s", &uri) != FALSE) {
    const Owned<char> path(g_filename_from_uri(uri, nullptr, nullptr));
    if (path == nullptr) return fail(printable(uri) + " is not a file on this computer");
    files.emplace_back(path.get());
  }
  return files;
}

void on_reply(GObject*, GAsyncResult* result, void* data) {
  g_object_ref(result);
  static_cast<Owned<GAsyncResult>*>(data)->reset(result);
}

struct PortalCall {
  const char* interface;
  const char* method;
  GVariant* arguments;
  const char* reply;  ///< its type
  int timeout;        ///< in milliseconds; -1: GLib's
};

/// The reply of the portal. Null where there is none, and soon after a stop: then `failure` says why.
Owned<GVariant> reply_to(GDBusConnection* bus, const OwnContext& context, const PortalCall& call, const StopToken& stop,
                         Owned<GError>& failure) {
  const Owned<GCancellable> cancellable(g_cancellable_new());
  Owned<GAsyncResult> result;
  g_dbus_connection_call(bus, kPortal, kPath, call.interface, call.method, call.arguments, G_VARIANT_TYPE(call.reply),
                         G_DBUS_CALL_FLAGS_NONE, call.timeout, cancellable.get(), on_reply, &result);
  while (result == nullptr) {
    context.step();
    if (stop.stop_requested()) g_cancellable_cancel(cancellable.get());
  }
  GError* error = nullptr;
  Owned<GVariant> reply(g_dbus_connection_call_finish(bus, result.get(), &error));
  failure.reset(error);
  return reply;
}

bool has_file_chooser(GDBusConnection* bus, const OwnContext& context, const StopToken& stop) {
  Owned<GError> failure;
  const PortalCall call = {"org.freedesktop.DBus.Properties", "Get", g_variant_new("(ss)", kChooser, "version"), "(v)",
                           kStartTime};
  return reply_to(bus, context, call, stop, failure) != nullptr;
}

Result<std::optional<ChosenFiles>> ask_on(GDBusConnection* bus, const OwnContext& context, const FileQuestion& question,
                                          const StopToken& stop) {
  PortalRequest request(bus);
  Owned<GError> failure;
  const PortalCall call = {kChooser, question.saves ? "SaveFile" : "OpenFile", arguments_of(question, request.token()),
                           "(o)", -1};
  const Owned<GVariant> handle = reply_to(bus, context, call, stop, failure);
  if (handle == nullptr && stop.stop_requested()) {
    request.close();
    return ChosenFiles();
  }
  // The portal crashed before it answered the call.
  if (handle == nullptr && g_error_matches(failure.get(), G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY)) return fail(kCrashed);
  if (handle == nullptr) return portal_trouble("did not open", failure.get());
  const char* path = nullptr;
  g_variant_get(handle.get(), "(&o)", &path);
  request.listen(path);
  while (true) {
    context.step();
    const Answer& answer = request.answer();
    if (answer.given) {
      // 1: the user cancelled; 2: the dialog ended in another way.
      if (answer.code == 1) return ChosenFiles();
      if (answer.code != 0) return fail("the desktop's file dialog ended without an answer");
      Result<ChosenFiles> files = chosen_files(answer);
      if (!files) return tl::unexpected(files.error());
      return *std::move(files);
    }
    if (answer.lost || g_dbus_connection_is_closed(bus) != FALSE) return fail(kCrashed);
    if (stop.stop_requested()) {
      request.close();
      return ChosenFiles();
    }
  }
}

}  // namespace

Result<std::optional<ChosenFiles>> ask_portal(const FileQuestion& question, const StopToken& stop) {
  const std::string address = bus_address();
  if (address.empty()) return std::nullopt;
  const OwnContext context;
  // A connection of our own: its signals come to this thread's context, and it ends with the question.
  const Owned<GDBusConnection> bus(g_dbus_connection_new_for_address_sync(
      address.c_str(),
      static_cast<GDBusConnectionFlags>(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                        G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION),
      nullptr, nullptr, nullptr));
  if (bus == nullptr) return std::nullopt;
  const bool found = has_file_chooser(bus.get(), context, stop);
  if (stop.stop_requested()) return ChosenFiles();
  if (!found) return std::nullopt;
  Result<std::optional<ChosenFiles>> answer = ask_on(bus.get(), context, question, stop);
  g_dbus_connection_close_sync(bus.get(), nullptr, nullptr);
  return answer;
}

}  // namespace attnscope
