// SHA-256 against the examples of the standard, and against GLib for every length around the ends of a block.
#include "io/base/sha256.h"

#include <glib.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace attnscope::test {
namespace {

TEST(Sha256, HasTheExamplesOfTheStandard) {
  EXPECT_EQ(sha256_text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_text(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfEveryLengthIsThatOfGlib) {
  std::string bytes;
  for (int length = 0; length < 200; ++length) {
    const std::unique_ptr<gchar, decltype(&g_free)> expected(
        g_compute_checksum_for_string(G_CHECKSUM_SHA256, bytes.data(), static_cast<gssize>(bytes.size())), &g_free);
    EXPECT_EQ(sha256_text(bytes), expected.get()) << length;
    bytes += static_cast<char>(length * 37);
  }
}

}  // namespace
}  // namespace attnscope::test
