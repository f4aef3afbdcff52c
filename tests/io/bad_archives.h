// What may be wrong with zip archives of arrays.
#pragma once

#include "bad_tensor_file.h"

namespace attnscope::test {

constexpr std::size_t kLocalName = 30;  // where the name begins in an archive's first local header

/// The small archive with `with` at `at` of its local and at `central` of its central header; −1: in neither.
inline std::string with_headers(int local, int central, const std::string& with) {
  std::string zip = kSmallZip;
  if (local >= 0) zip = patched(zip, static_cast<std::size_t>(local), with);
  if (central >= 0) zip = patched(zip, zip.rfind("PK\1\2") + static_cast<std::size_t>(central), with);
  return zip;
}

inline void add_bombs(Table& table) {
  using enum Outcome;
  const auto add = [&](const std::string& what, Outcome right, const ZipPart& part, const std::string& says) {
    table.push_back({31, what, right, "t.npz", zip_bytes({part}), says});
  };
  const std::string zeros(50'000'000, '\0');
  ZipPart lies = ZipPart::deflated("a.npy", small_npy() + zeros);
  lies.size = small_npy().size();
  add("inflates to 50 MB, says 12 bytes", not_viewed, lies, "more than");
  add("50 MB after three numbers", warned, ZipPart::deflated("a.npy", small_npy() + zeros), "follow its numbers");
  ZipPart much = ZipPart::deflated("a.npy", npy_bytes(npy_dictionary("<f4", "(250000000000,)"), ""));
  much.size = 1'000'000'000'080;
  much.zip64 = true;
  add("says 1 TB, from 100 bytes", not_viewed, much, "which no deflated data can");
  ZipPart few = ZipPart::deflated("a.npy", npy_bytes(npy_dictionary("<f4", "(1000,)"), kFour));
  few.size += 3984;
  add("inflates to less than it claims", not_viewed, few, "instead of");
  ZipPart large = ZipPart::deflated("a.npy", npy_bytes(npy_dictionary("<f4", "(1250000000,)"), zeros));
  large.data += std::string(5'000'000, '\0');  // as much as could make it true
  large.size = large.size - zeros.size() + 5'000'000'000;
  large.zip64 = true;
  add("over the memory budget", not_viewed, large, "allowed: 2.0 GB");
}

inline void add_overlaps_and_headers(Table& table) {
  using enum Outcome;
  const auto add = [&](int number, const std::string& what, Outcome right, const std::string& bytes,
                       const std::string& says = "") {
    table.push_back({number, what, right, "t.npz", bytes, says});
  };
  add(
      32, "two members in one place", refused,
      [] {
        const ZipPart a = ZipPart::stored("a.npy", small_npy());
        const std::string directory = central_bytes(a, 0) + central_bytes(a, 0);
        return local_bytes(a) + patched(directory, directory.rfind("a.npy"), "b.npy") +
               end_bytes(2, directory.size(), local_bytes(a).size());
      }(),
      "differ in the name");
  add(
      32, "a member within another", refused,
      [] {
        const ZipPart inner = ZipPart::stored("b.npy", small_npy());
        const ZipPart outer = ZipPart::stored("a.npy", local_bytes(inner));
        const std::string directory =
            central_bytes(outer, 0) + central_bytes(inner, local_bytes(outer).size() - outer.data.size());
        return local_bytes(outer) + directory + end_bytes(2, directory.size(), local_bytes(outer).size());
      }(),
      "within");
  add(33, "other name", refused, patched(kSmallZip, kLocalName, "b"), "differ in the name");
  add(33, "other size", refused, with_headers(22, -1, little(1, 4)), "differ in the size");
  add(33, "other checksum", refused, with_headers(14, -1, little(1, 4)), "differ in the checksum");
  add(33, "other method", refused, with_headers(8, -1, little(8, 2)), "differ in the method");
  add(33, "other flags", refused, with_headers(6, -1, little(1, 2)), "differ in the flags");
  add(33, "no local header", refused, patched(kSmallZip, 0, "PK\3\5"), "no local header at 0");
  add(33, "local header past the end", refused, with_headers(-1, 42, little(0xfffffff0U, 4)), "no local header");
  add(33, "size past the directory", refused, with_headers(18, 20, little(100'000, 4)), "directory begins at");
  add(34, "encrypted", not_viewed, with_headers(6, 8, little(1, 2)), "encrypted");
  add(34, "method 12 (bzip2)", not_viewed, with_headers(8, 10, little(12, 2)), "method 12");
  add(35, "checksum, stored", not_viewed, patched(kSmallZip, kSmallZip.find("PK\1\2") - 1, "x"), "checksum");
  ZipPart wrong = ZipPart::deflated("a.npy", small_npy());
  wrong.crc ^= 1U;
  add(35, "checksum, deflated", not_viewed, zip_bytes({wrong}), "checksum");
  ZipPart damaged = ZipPart::deflated("a.npy", small_npy());
  damaged.data.assign(damaged.data.size(), '\xff');
  add(35, "deflated data damaged", not_viewed, zip_bytes({damaged}), "damaged");
  damaged = ZipPart::deflated("a.npy", small_npy());
  damaged.data.resize(damaged.data.size() - 5);
  add(35, "deflated data cut off", not_viewed, zip_bytes({damaged}), "cut off");
}

inline void add_names_and_sizes(Table& table) {
  using enum Outcome;
  const auto add = [&](int number, const std::string& what, Outcome right, const std::string& bytes,
                       const std::string& says = "") {
    table.push_back({number, what, right, "t.npz", bytes, says});
  };
  add(36, "../../etc/passwd.npy", accepted, zip_bytes({ZipPart::stored("../../etc/passwd.npy", small_npy())}));
  add(37, "duplicate name", refused,
      zip_bytes({ZipPart::stored("a.npy", small_npy()), ZipPart::deflated("a.npy", small_npy())}), "appears twice");
  add(37, "10,001 members", refused, zip_bytes(std::vector<ZipPart>(10'001, ZipPart::stored("a.npy", small_npy()))),
      "10,000");
  add(37, "says 20 members, has 1", refused,
      patched(patched(kSmallZip, kSmallZip.size() - 14, little(20, 2)), kSmallZip.size() - 12, little(20, 2)),
      "fewer members");
  add(37, "says no member, has 1", refused,
      patched(patched(kSmallZip, kSmallZip.size() - 14, little(0, 2)), kSmallZip.size() - 12, little(0, 2)),
      "holds more");
  ZipPart wide = ZipPart::deflated("a.npy", small_npy());
  wide.zip64 = true;
  add(38, "ZIP64", accepted, zip_bytes({wide, ZipPart::stored("b.npy", small_npy())}, true));
  ZipPart later = ZipPart::deflated("a.npy", small_npy());
  later.descriptor = true;
  add(38, "data descriptor", accepted, zip_bytes({later}));
  wide.descriptor = true;
  later.name = "b.npy";
  add(38, "ZIP64 data descriptor", accepted, zip_bytes({wide, later}, true));
  std::string other = zip_bytes({later});
  add(38, "data descriptor differs", refused, patched(other, other.find("PK\7\10") + 4, little(1, 4)), "differ");
  add(
      38, "ZIP64 record past the end", refused,
      [] {
        const std::string zip = zip_bytes({ZipPart::stored("a.npy", small_npy())}, true);
        return patched(zip, zip.find("PK\6\7") + 8, little(~std::uint64_t{0} - 8, 8));
      }(),
      "which is not possible");
}

inline void add_members(Table& table) {
  using enum Outcome;
  const auto add = [&](int number, const std::string& what, Outcome right, const std::string& bytes,
                       const std::string& says = "") {
    table.push_back({number, what, right, "t.npz", bytes, says});
  };
  add(39, "a text among arrays", warned,
      zip_bytes({ZipPart::stored("a.npy", small_npy()), ZipPart::stored("b.txt", "hello\n")}),
      "omitted, not .npy files");
  add(39, "an object array among others", not_viewed,
      zip_bytes({ZipPart::stored("o.npy", npy_bytes(npy_dictionary("|O", "(1,)"), "x"))}), "Python objects");
  add(39, "an array cut off", not_viewed,
      zip_bytes({ZipPart::stored("o.npy", npy_bytes(npy_dictionary("<f4", "(9,)"), kFour))}), "cut off after 16");
  add(39, "no members", accepted, zip_bytes({}));
  add(39, "a folder", accepted, zip_bytes({ZipPart::stored("a/", ""), ZipPart::stored("a/b.npy", small_npy())}));
  const std::string with_comment = patched(kSmallZip, kSmallZip.size() - 2, little(23, 2));
  add(39, "comment with an end in it", accepted, with_comment + end_bytes(0, 0, 0) + "x");
  add(39, "comment that is an end", refused, with_comment + "x" + end_bytes(0, 0, 0), "claims to have 0 bytes");
  add(39, "several disks", refused, patched(kSmallZip, kSmallZip.size() - 18, little(1, 2)), "several parts");
  add(39, "end missing", refused, kSmallZip.substr(0, kSmallZip.size() - 1), "cut off");
}

inline void add_archives(Table& table) {
  add_bombs(table);
  add_overlaps_and_headers(table);
  add_names_and_sizes(table);
  add_members(table);
}

}  // namespace attnscope::test
