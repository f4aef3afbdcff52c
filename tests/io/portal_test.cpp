// The desktop's file dialog over D-Bus, on a bus of its own with a portal of the test's.
#include "io/desktop/portal.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "fake_portal.h"
#include "io/base/program.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class Portal : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_program("dbus-daemon")) GTEST_SKIP() << "dbus-daemon is not installed";
  }

  static FileQuestion question() {
    FileQuestion asked;
    asked.title = "Open an experiment";
    asked.confirm = "Open";
    asked.start = "/home/you/maps/";
    asked.filters = {{"Experiments", {"*.json", "*.png"}}, {"All files", {"*"}}};
    asked.parent_window = "x11:1a2b";
    return asked;
  }
};

/// What the portal got, without a part of it that differs from run to run.
bool has(const FakePortal& portal, const std::string& part) {
  return portal.arguments().find(part) != std::string::npos;
}

TEST_F(Portal, AsksForFilesToOpen) {
  const FakePortal portal({.uris = {"file:///tmp/a%20b.json", "file:///tmp/%C3%A4.json"}});
  FileQuestion asked = question();
  asked.several = true;
  const auto files = ask_portal(asked, {});
  ASSERT_TRUE(files) << files.error().message;
  ASSERT_TRUE(*files);
  EXPECT_EQ(**files, (ChosenFiles{"/tmp/a b.json", "/tmp/ä.json"}));
  EXPECT_EQ(portal.method(), "OpenFile");
  EXPECT_TRUE(has(portal, "('x11:1a2b', 'Open an experiment', {")) << portal.arguments();
  EXPECT_TRUE(has(portal, "'accept_label': <'Open'>")) << portal.arguments();
  EXPECT_TRUE(has(portal, "'multiple': <true>")) << portal.arguments();
  EXPECT_TRUE(has(portal, "'current_folder': <b'/home/you/maps'>")) << portal.arguments();
  EXPECT_TRUE(has(portal, "<[('Experiments', [(uint32 0, '*.json'), (0, '*.png')]), ('All files', [(0, '*')])]>"))
      << portal.arguments();
}

TEST_F(Portal, AsksWhereToSave) {
  const FakePortal portal({.uris = {"file:///tmp/x.json"}});
  FileQuestion asked = question();
  asked.saves = true;
  asked.start = "/home/you/x.json";
  const auto files = ask_portal(asked, {});
  ASSERT_TRUE(files && *files);
  EXPECT_EQ(**files, ChosenFiles{"/tmp/x.json"});
  EXPECT_EQ(portal.method(), "SaveFile");
  EXPECT_TRUE(has(portal, "'current_name': <'x.json'>")) << portal.arguments();
  EXPECT_TRUE(has(portal, "'current_folder': <b'/home/you'>")) << portal.arguments();
}

TEST_F(Portal, HearsAnOldPortalThatChoosesThePath) {
  const FakePortal portal({.uris = {"file:///tmp/x.json"}, .chooses_path = true});
  const auto files = ask_portal(question(), {});
  ASSERT_TRUE(files && *files);
  EXPECT_EQ(**files, ChosenFiles{"/tmp/x.json"});
}

TEST_F(Portal, ReturnsNoFileWhenCancelled) {
  const FakePortal portal({.code = 1});
  const auto files = ask_portal(question(), {});
  ASSERT_TRUE(files && *files);
  EXPECT_TRUE((*files)->empty());
}

TEST_F(Portal, ClosesTheDialogWhenStopped) {
  const FakePortal portal({.act = PortalScript::Act::wait});
  const StopSource stop;
  std::thread stopper([&] {
    while (!portal.asked()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop.request_stop();
  });
  const auto files = ask_portal(question(), stop.token());
  stopper.join();
  ASSERT_TRUE(files && *files);
  EXPECT_TRUE((*files)->empty());
  for (int i = 0; i < 2000 && !portal.closed(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(portal.closed());
}

TEST_F(Portal, StopsThoughThePortalDoesNotAnswer) {
  const FakePortal portal({.act = PortalScript::Act::hang});
  const StopSource stop;
  std::thread stopper([&] {
    while (!portal.asked()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  const auto files = ask_portal(question(), stop.token());
  stopper.join();
  ASSERT_TRUE(files && *files);
  EXPECT_TRUE((*files)->empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15)) << "D-Bus itself waits for 25";
}

TEST_F(Portal, SaysWhatWentWrong) {
  const auto message = [](const PortalScript& script) {
    const FakePortal portal(script);
    const auto files = ask_portal(question(), {});
    return files ? std::string("no error") : files.error().message;
  };
  EXPECT_EQ(message({.act = PortalScript::Act::vanish}), "the desktop's file dialog has crashed");
  EXPECT_EQ(message({.act = PortalScript::Act::refuse}), "the desktop's file dialog did not open: no display");
  EXPECT_EQ(message({.code = 2}), "the desktop's file dialog ended without an answer");
  EXPECT_EQ(message({.uris = {"sftp://host/x.json"}}), "sftp://host/x.json is not a file on this computer");
}

TEST_F(Portal, IsNothingWithoutABusOrAPortal) {
  GTestDBus* bus = g_test_dbus_new(G_TEST_DBUS_NONE);
  g_test_dbus_up(bus);
  EXPECT_EQ(*ask_portal(question(), {}), std::nullopt);
  g_test_dbus_down(bus);
  g_object_unref(bus);
  ::setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus", 1);
  EXPECT_EQ(*ask_portal(question(), {}), std::nullopt);
  ::unsetenv("DBUS_SESSION_BUS_ADDRESS");
}

}  // namespace
}  // namespace attnscope::test
