// A session bus of its own with a portal on it that answers as a test says.
#pragma once

#include <gio/gio.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace attnscope::test {

/// What the portal does when it is asked.
struct PortalScript {
  enum class Act { answer, wait, hang, vanish, refuse } act = Act::answer;
  unsigned code = 0;  ///< of the answer: 0 chosen, 1 cancelled, 2 otherwise
  std::vector<std::string> uris = {};
  bool chooses_path = false;  ///< as portals before version 0.9, which ignore the token
};

/// In $DBUS_SESSION_BUS_ADDRESS from its construction to its end. Needs dbus-daemon.
class FakePortal {
 public:
  explicit FakePortal(PortalScript script) : script_(std::move(script)), bus_(g_test_dbus_new(G_TEST_DBUS_NONE)) {
    g_test_dbus_up(bus_);
    address_ = g_test_dbus_get_bus_address(bus_);
    thread_ = std::thread([this] { run(); });
    while (!ready_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ~FakePortal() {
    stop_ = true;
    thread_.join();
    g_test_dbus_down(bus_);
    g_object_unref(bus_);
  }
  FakePortal(const FakePortal&) = delete;
  FakePortal& operator=(const FakePortal&) = delete;

  /// "OpenFile" or "SaveFile", and its arguments as GLib prints them; empty: it was not asked.
  [[nodiscard]] std::string method() const { return locked(method_); }
  [[nodiscard]] std::string arguments() const { return locked(arguments_); }
  [[nodiscard]] bool asked() const { return !method().empty(); }
  /// Whether the program closed its request.
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  [[nodiscard]] std::string locked(const std::string& text) const {
    const std::scoped_lock lock(mutex_);
    return text;
  }

  void run() {
    GMainContext* context = g_main_context_new();
    g_main_context_push_thread_default(context);
    connection_ = g_dbus_connection_new_for_address_sync(
        address_.c_str(),
        static_cast<GDBusConnectionFlags>(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                          G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION),
        nullptr, nullptr, nullptr);
    GDBusNodeInfo* node = g_dbus_node_info_new_for_xml(
        "<node><interface name='org.freedesktop.portal.FileChooser'><property name='version' type='u' access='read'/>"
        "<method name='OpenFile'><arg type='s'/><arg type='s'/><arg type='a{sv}'/><arg type='o' direction='out'/>"
        "</method><method name='SaveFile'><arg type='s'/><arg type='s'/><arg type='a{sv}'/>"
        "<arg type='o' direction='out'/></method></interface>"
        "<interface name='org.freedesktop.portal.Request'><method name='Close'/></interface></node>",
        nullptr);
    request_ = node->interfaces[1];
    static const GDBusInterfaceVTable kChooser = {on_call, on_property, nullptr, {}};
    g_dbus_connection_register_object(connection_, "/org/freedesktop/portal/desktop", node->interfaces[0], &kChooser,
                                      this, nullptr, nullptr);
    const guint name = g_bus_own_name_on_connection(
        connection_, "org.freedesktop.portal.Desktop", G_BUS_NAME_OWNER_FLAGS_NONE,
        [](GDBusConnection*, const char*, void* self) { static_cast<FakePortal*>(self)->ready_ = true; }, nullptr, this,
        nullptr);
    while (!stop_) {
      while (g_main_context_iteration(context, FALSE) != FALSE) continue;
      if (vanishes_.exchange(false)) g_dbus_connection_close_sync(connection_, nullptr, nullptr);
      g_usleep(1000);
    }
    if (unanswered_ != nullptr)
      g_dbus_method_invocation_return_dbus_error(unanswered_, "org.freedesktop.portal.Error.Failed", "too late");
    g_bus_unown_name(name);
    g_main_context_pop_thread_default(context);
    while (g_main_context_iteration(context, FALSE) != FALSE) continue;
    g_object_unref(connection_);
    g_dbus_node_info_unref(node);
    g_main_context_unref(context);
  }

  static GVariant* on_property(GDBusConnection*, const char*, const char*, const char*, const char*, GError**, void*) {
    return g_variant_new_uint32(3);
  }

  static void on_close(GDBusConnection*, const char*, const char*, const char*, const char*, GVariant*,
                       GDBusMethodInvocation* invocation, void* self) {
    static_cast<FakePortal*>(self)->closed_ = true;
    g_dbus_method_invocation_return_value(invocation, nullptr);
  }

  static void on_call(GDBusConnection* connection, const char* sender, const char*, const char*, const char* method,
                      GVariant* parameters, GDBusMethodInvocation* invocation, void* data) {
    auto& self = *static_cast<FakePortal*>(data);
    {
      char* text = g_variant_print(parameters, FALSE);
      const std::scoped_lock lock(self.mutex_);
      self.arguments_ = text;
      self.method_ = method;
      g_free(text);
    }
    if (self.script_.act == PortalScript::Act::refuse) {
      g_dbus_method_invocation_return_dbus_error(invocation, "org.freedesktop.portal.Error.Failed", "no display");
      return;
    }
    if (self.script_.act == PortalScript::Act::hang) {
      self.unanswered_ = invocation;
      return;
    }
    GVariant* options = g_variant_get_child_value(parameters, 2);
    const char* token = "";
    g_variant_lookup(options, "handle_token", "&s", &token);
    std::string owner = sender + 1;
    for (char& letter : owner) letter = letter == '.' ? '_' : letter;
    const std::string path =
        "/org/freedesktop/portal/desktop/request/" + owner + "/" + (self.script_.chooses_path ? "old" : token);
    g_variant_unref(options);
    static const GDBusInterfaceVTable kRequest = {on_close, nullptr, nullptr, {}};
    g_dbus_connection_register_object(connection, path.c_str(), self.request_, &kRequest, &self, nullptr, nullptr);
    g_dbus_method_invocation_return_value(invocation, g_variant_new("(o)", path.c_str()));
    if (self.script_.act == PortalScript::Act::answer) self.answer(path, sender);
    self.vanishes_ = self.script_.act == PortalScript::Act::vanish;
  }

  void answer(const std::string& path, const char* sender) {
    GVariantBuilder uris;
    g_variant_builder_init(&uris, G_VARIANT_TYPE("as"));
    for (const std::string& uri : script_.uris) g_variant_builder_add(&uris, "s", uri.c_str());
    GVariantBuilder results;
    g_variant_builder_init(&results, G_VARIANT_TYPE("a{sv}"));
    g_variant_builder_add(&results, "{sv}", "uris", g_variant_builder_end(&uris));
    // After a moment in which the caller learns the path that an old portal chose.
    if (script_.chooses_path) g_usleep(200'000);
    g_dbus_connection_emit_signal(connection_, sender, path.c_str(), "org.freedesktop.portal.Request", "Response",
                                  g_variant_new("(ua{sv})", script_.code, &results), nullptr);
  }

  PortalScript script_;
  GTestDBus* bus_;
  std::string address_;
  mutable std::mutex mutex_;
  std::string method_;
  std::string arguments_;
  std::atomic<bool> ready_ = false;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> closed_ = false;
  std::atomic<bool> vanishes_ = false;
  GDBusMethodInvocation* unanswered_ = nullptr;
  GDBusConnection* connection_ = nullptr;
  GDBusInterfaceInfo* request_ = nullptr;
  std::thread thread_;
};

}  // namespace attnscope::test
