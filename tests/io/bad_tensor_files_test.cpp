// Everything that may be wrong with a file of tensors, in one table that the test prints.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <utility>

#include "bad_archives.h"
#include "io/base/printable.h"
#include "io/tensors/tensor_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

using enum Outcome;

/// `header` with or without braces, and the data of four numbers.
BadFile tensors(int number, const std::string& what, Outcome right, const std::string& header,
                const std::string& says = "", const std::string& data = kFour) {
  return {number, what, right, "t.safetensors", safetensors_bytes("{" + header + "}", data), says};
}

std::string four(const std::string& shape = "[4]", const std::string& offsets = "[0, 16]") {
  return entry_text("a", "F32", shape, offsets);
}

void add_header_bytes(Table& table) {
  const auto add = [&](int number, const std::string& what, Outcome right, const std::string& bytes,
                       const std::string& says) {
    table.push_back({number, what, right, "t.safetensors", bytes, says});
  };
  add(1, "empty", refused, "", "the file has 0");
  add(1, "three bytes", refused, "abc", "the file has 3");
  add(2, "header of 100,000,001 bytes", refused, little(100'000'001, 8) + "{}",
      "claims to have 100,000,001 bytes; allowed: 100,000,000");
  add(3, "header past the end", refused, little(20, 8) + "{}", "cut off after 2");
  add(3, "8 + header overflows", refused, little(~std::uint64_t{0}, 8) + "{}", "allowed: 100 MB");
  add(3, "8 + header overflows to 0", refused, little(~std::uint64_t{7}, 8) + "{}", "allowed: 100 MB");
  add(4, "not UTF-8", refused, safetensors_bytes("{\"a\xff\": 1}"), "UTF-8");
  add(5, "half of a header", refused, safetensors_bytes("{\"a\": {"), "line 1, column");
  add(5, "a list", refused, safetensors_bytes("[1]"), "allowed: an object");
  add(5, "Python's quotes", refused, safetensors_bytes("{'a': 1}"), "line 1, column");
  add(5, "zero byte", refused, safetensors_bytes(std::string("{}\0", 3)), "zero byte");
  add(6, "blanks in front", accepted, safetensors_bytes(" \n{" + four() + "}", kFour), "");
  add(7, "blanks behind", accepted, safetensors_bytes("{" + four() + "}     ", kFour), "");
  add(18, "65 brackets", refused, safetensors_bytes("{\"a\": " + std::string(64, '[') + std::string(64, ']') + "}"),
      "more than 64");
  add(18, "a million brackets", refused, safetensors_bytes("{\"a\": " + std::string(1'000'000, '[')), "more than 64");
}

void add_header_fields(Table& table) {
  table.push_back(tensors(8, "duplicate tensor", refused, four() + ", " + four(), "appears twice"));
  table.push_back(tensors(8, "duplicate field", refused,
                          R"("a": {"dtype": "F32", "dtype": "I32", "shape": [4], "data_offsets": [0, 16]})", "twice"));
  for (const char* missing : {R"({"shape": [4], "data_offsets": [0, 16]})", R"({"dtype": "F32", "shape": [4]})"})
    table.push_back(tensors(5, "field missing", refused, "\"a\": " + std::string(missing), "is missing"));
  table.push_back(tensors(5, "tensor is a number", refused, "\"a\": 1", "allowed: an object"));
  table.push_back(tensors(5, "dtype is a number", refused, R"("a": {"dtype": 1, "shape": [], "data_offsets": [0, 0]})",
                          "dtype: 1"));
  table.push_back(tensors(5, "another field", warned,
                          R"("a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16], "x": 1})", "\"x\""));
  for (const char* offsets : {"[-1, 16]", "[0, 16.0]", "[0, 1e1]", "[0, \"16\"]", "[0, null]",
                              "[0, 18446744073709551616]", "[0, 9223372036854775808]"})
    table.push_back(tensors(12, "offsets " + std::string(offsets), refused, four("[4]", offsets), "data_offsets"));
  table.push_back(tensors(12, "offsets reversed", refused, four("[4]", "[16, 0]"), "ends before it begins"));
  table.push_back(tensors(12, "one offset", refused, four("[4]", "[16]"), "begin and end"));
  table.push_back(tensors(12, "three offsets", refused, four("[4]", "[0, 8, 16]"), "begin and end"));
  table.push_back(tensors(12, "offsets no list", refused, four("[4]", "16"), "allowed: a list"));
  for (const char* shape : {"[3]", "[5]", "[]", "[2, 3]", "[0]"})
    table.push_back(tensors(13, "shape " + std::string(shape), refused, four(shape), "which takes"));
  table.push_back(tensors(13, "half a byte", refused, entry_text("a", "F4", "[3]", "[0, 1]"), "which takes", "x"));
  for (const char* shape : {"[-4]", "[4.0]", "\"4\"", "[[4]]", "[18446744073709551616]"})
    table.push_back(tensors(13, "shape " + std::string(shape), refused, four(shape), "shape: "));
  // 2^64, which is 0 in 64 bits; 2^64 + 16; and with an axis of size 0.
  for (const char* shape : {"[4294967296, 4294967296]", "[4611686018427387908]", "[4611686018427387904, 4, 0]"})
    table.push_back(
        tensors(14, "shape " + std::string(shape), refused, four(shape), "more numbers than can be addressed"));
  std::string ones = "[1";
  for (int i = 1; i < 65; ++i) ones += ", 1";
  table.push_back(tensors(14, "65 axes", refused, four(ones + "]"), "65 axes"));
  table.push_back(
      tensors(17, "metadata value a number", refused, R"("__metadata__": {"a": 1}, )" + four(), "a string"));
  table.push_back(tensors(17, "metadata a list", refused, R"("__metadata__": [], )" + four(), "an object"));
}

void add_places(Table& table) {
  const auto two = [](const std::string& first, const std::string& second) {
    return entry_text("a", "F32", "[2]", first) + ", " + entry_text("b", "F32", "[2]", second);
  };
  table.push_back(tensors(9, "overlap", refused, two("[0, 8]", "[4, 12]"), "within that of another", kFour.substr(4)));
  table.push_back(
      tensors(9, "the same place", refused, two("[0, 8]", "[0, 8]"), "within that of another", kFour.substr(8)));
  table.push_back(tensors(10, "hole", refused, two("[0, 8]", "[12, 20]"), "belong to no tensor", kFour + "abcd"));
  table.push_back(
      tensors(10, "hole in front", refused, two("[4, 12]", "[12, 20]"), "belong to no tensor", kFour + "abcd"));
  table.push_back(
      tensors(10, "bytes after the last", refused, two("[0, 8]", "[8, 16]"), "belongs to no tensor", kFour + "x"));
  table.push_back(tensors(11, "cut off", refused, two("[0, 8]", "[8, 16]"), "cut off and has 15", kFour.substr(1)));
  table.push_back(tensors(15, "rank 0", accepted, entry_text("a", "F32", "[]", "[0, 4]"), "", kFour.substr(12)));
  table.push_back(tensors(15, "nothing in it", accepted,
                          entry_text("a", "F32", "[2]", "[0, 8]") + ", " + entry_text("b", "F64", "[3, 0]", "[8, 8]") +
                              ", " + entry_text("c", "F32", "[2]", "[8, 16]")));
  table.push_back(tensors(15, "no tensors", accepted, "", "", ""));
  table.push_back(tensors(16, "unknown dtype", not_viewed, entry_text("a", "F42", "[2]", "[0, 16]"), "is unknown"));
  for (const char* dtype : {"F8_E4M3", "F8_E5M2"})
    table.push_back(tensors(16, dtype, not_viewed, entry_text("a", dtype, "[16]", "[0, 16]"), "cannot be shown"));
  for (const auto& [dtype, count] : std::map<std::string, int>{{"BOOL", 16},
                                                               {"U8", 16},
                                                               {"I8", 16},
                                                               {"U16", 8},
                                                               {"I16", 8},
                                                               {"F16", 8},
                                                               {"BF16", 8},
                                                               {"U32", 4},
                                                               {"I32", 4},
                                                               {"F32", 4},
                                                               {"U64", 2},
                                                               {"I64", 2},
                                                               {"F64", 2}})
    table.push_back(tensors(19, dtype, accepted, entry_text("a", dtype, "[" + std::to_string(count) + "]", "[0, 16]")));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  table.push_back(tensors(20, "NaN and infinities", accepted, four(), "",
                          float_bytes({std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, 0})));
}

/// Headers of npy files that numpy does not write.
constexpr std::array kWrongDictionaries = {
    "",
    "{}",
    "{'descr': '<f4', 'shape': (4,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'x': 1}",
    "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4,)}",
    "{'descr': '<f4', 'fortran_order': 0, 'shape': (4,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': [4]}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4,,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (True,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2+2,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4.0,)}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)} + 1",
    "{'descr': __import__('os').system('true'), 'fortran_order': False, 'shape': (4,)}",
    "{'descr': '<f' '4', 'fortran_order': False, 'shape': (4,)}",
    "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (4,)}",
    "{'descr': 4, 'fortran_order': False, 'shape': (4,)}",
    "{'descr': [('a', '<f4', 'fortran_order': False",
    "dict(descr='<f4', fortran_order=False, shape=(4,))",
    "{'descr' '<f4'}",
    "{'descr': '<f4",
};

void add_npy(Table& table) {
  const auto add = [&](int number, const std::string& what, Outcome right, const std::string& bytes,
                       const std::string& says = "") {
    table.push_back({number, what, right, "t.npy", bytes, says});
  };
  const auto dictionary = [&](int number, const std::string& text, Outcome right, const std::string& says) {
    add(number, text.substr(0, text.find('\n')), right, npy_bytes(text, kFour), says);
  };
  add(21, "empty", refused, "", "begins with");
  add(21, "bad magic", refused, "\x93NUMPX" + small_npy().substr(6), "begins with");
  add(21, "version 4.0", refused, patched(small_npy(), 6, "\4"), "4.0 is unknown");
  add(21, "version 1.1", refused, patched(small_npy(), 7, "\1"), "1.1 is unknown");
  add(22, "header of 4 GiB in 12 bytes", refused, std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12), "allowed: 100 kB");
  add(22, "header past the end", refused, npy_bytes("{").substr(0, 8) + little(5000, 2) + "{", "cut off after");
  for (const char* text : kWrongDictionaries) dictionary(23, text, refused, "npy header: ");
  dictionary(23, "{'shape': (4,), 'descr': \"<f4\", 'fortran_order': False}", accepted, "");
  dictionary(24, npy_dictionary("|O", "(4,)"), refused, "Python objects");
  dictionary(25, "{'descr': [('a', '<f4'), ('b', '<i4', (2,))], 'fortran_order': False, 'shape': (1,), }", refused,
             "structured");
  for (const auto& [descr, says] : std::map<std::string, std::string>{{"<U4", "text"},
                                                                      {"|S4", "text"},
                                                                      {"<c8", "complex"},
                                                                      {"|V2", "bfloat16"},
                                                                      {"<M8[ns]", "dates"},
                                                                      {"<f16", "double precision"},
                                                                      {"", "unknown"},
                                                                      {"<", "unknown"},
                                                                      {"<f3", ""},
                                                                      {"f4; import os", ""}})
    dictionary(25, npy_dictionary(descr, "(1,)"), refused, says);
  dictionary(26, npy_dictionary(">f4", "(4,)"), accepted, "");
  dictionary(27, npy_dictionary("<f4", "(2, 2)", true), accepted, "");
  dictionary(28, npy_dictionary("<f4", "(-4,)"), refused, "whole numbers");
  dictionary(28, npy_dictionary("<f4", "(9223372036854775808,)"), refused, "whole numbers");
  for (const char* shape : {"(4294967296, 4294967296)", "(4611686018427387908,)", "(0, 4611686018427387904, 4)"})
    dictionary(28, npy_dictionary("<f4", shape), refused, "more numbers than can be addressed");
  dictionary(29, npy_dictionary("<f4", "(5,)"), refused, "cut off after 16");
  dictionary(29, npy_dictionary("<f4", "(3,)"), warned, "4 bytes after");
  add(30, "rank 0", accepted, npy_bytes(npy_dictionary("<f4", "()"), kFour.substr(12)));
  dictionary(30, npy_dictionary("<f4", "(1, 2, 1, 2, 1, 1)"), accepted, "");
}

void add_other_files(Table& table) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
  for (const char* name : {"t.safetensors", "t.npy", "t.npz", "t"}) {
    table.push_back({59, "Git-LFS pointer as " + std::string(name), refused, name, pointer, "Git-LFS pointer"});
    table.push_back({59, "HTML page as " + std::string(name), refused, name, "<!DOCTYPE html>\n<html>", "HTML page"});
  }
  table.push_back({59, "PyTorch checkpoint", refused, "t.pt", zip_bytes({ZipPart::stored("m/data.pkl", "x")}),
                   "PyTorch checkpoint"});
  table.push_back({59, "pickle", refused, "t.safetensors", "\x80\x04\x95", "Python pickle"});
  table.push_back({59, "GGUF", refused, "t.gguf", "GGUF\3", "GGUF"});
  table.push_back({59, "a text", refused, "t.txt", "hello", "no known format"});
  table.push_back(
      {59, "safetensors without extension", accepted, "t", safetensors_bytes("{" + four() + "}", kFour), ""});
  table.push_back({59, "npz that ends in .npy", accepted, "t.npy", kSmallZip, ""});
  table.push_back(tensors(60, "names with quotes, newlines, marks", accepted,
                          entry_text("\\\"q\\\"\\n\\u202e\\u0000", "F32", "[4]", "[0, 16]")));
  table.push_back({60, "names that are not UTF-8", accepted, "t.npz",
                   zip_bytes({ZipPart::stored("\xff\xfe\n\".npy", small_npy())}), ""});
  table.push_back({60, "a file's name with a newline", refused, "a \"b\"\n\xff.npy", "x", "begins with"});
}

/// The outcome for a file, and the message.
std::pair<Outcome, std::string> outcome_of(const fs::path& path) {
  const auto file = TensorFile::open(path);
  if (!file) return {refused, file.error().message};
  std::pair<Outcome, std::string> outcome = {accepted, ""};
  if (!(*file)->warnings().empty()) outcome = {warned, (*file)->warnings()[0]};
  for (std::size_t i = 0; i < (*file)->entries().size(); ++i) {
    const TensorEntry& entry = (*file)->entries()[i];
    Index count = 1;
    for (const Index size : entry.shape) count *= entry.trouble.empty() ? size : 1;
    std::vector<float> numbers(static_cast<std::size_t>(count));
    const std::vector<Index> begin(entry.shape.size());
    const Result<void> read = (*file)->read(i, begin, entry.shape, numbers);
    EXPECT_TRUE(entry.trouble.empty() || !read) << entry.trouble;
    if (!read) outcome = {not_viewed, read.error().message};
  }
  return outcome;
}

TEST(BadTensorFiles, AreRefusedWithAReasonOrRead) {
  const TemporaryFolder folder;
  Table table;
  add_header_bytes(table);
  add_header_fields(table);
  add_places(table);
  add_npy(table);
  add_archives(table);
  add_other_files(table);
  std::stable_sort(table.begin(), table.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  std::map<int, int> per_number;
  for (const BadFile& bad : table) {
    const fs::path path = folder.file(bad.name, bad.bytes);
    const auto [outcome, message] = outcome_of(path);
    std::printf("%3d  %-10s  %s\n", bad.number, outcome_text(outcome), printable(bad.what).c_str());
    EXPECT_STREQ(outcome_text(outcome), outcome_text(bad.right)) << bad.what << ": " << message;
    EXPECT_NE(message.find(bad.says), std::string::npos) << bad.what << ": " << message;
    EXPECT_TRUE(outcome == accepted || is_one_line(message));
    const bool not_done = outcome == refused || outcome == not_viewed;
    EXPECT_TRUE(!not_done || message.starts_with(path_text(path) + ": ")) << message;
    ++per_number[bad.number];
  }
  for (int number = 1; number <= 39; ++number) EXPECT_GT(per_number[number], 0) << number;
  std::printf("%zu cases\n", table.size());
}

TEST(BadTensorFiles, WhatIsNoFileIsRefused) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe.npy").c_str(), 0600), 0);
  const auto trouble = [](const fs::path& path) {
    const auto file = TensorFile::open(path);
    return file ? "none" : file.error().message;
  };
  EXPECT_EQ(trouble(folder / "none.npz"), (folder / "none.npz").string() + ": No such file or directory");
  EXPECT_EQ(trouble(folder.path()), folder.path().string() + ": is a folder, not a file");
  EXPECT_EQ(trouble(folder / "pipe.npy"), (folder / "pipe.npy").string() + ": is a pipe, not a file");
  EXPECT_EQ(trouble("/dev/zero"), "/dev/zero: is a device, not a file");
}

TEST(BadTensorFiles, AFileCutOffWhileItIsOpenIsAnError) {
  const TemporaryFolder folder;
  for (const auto& [name, bytes] :
       std::map<std::string, std::string>{{"t.safetensors", safetensors_bytes("{" + four() + "}", kFour)},
                                          {"t.npy", npy_bytes(npy_dictionary("<f4", "(4,)"), kFour)},
                                          {"t.npz", zip_bytes({ZipPart::deflated("a.npy", small_npy())})}}) {
    const fs::path path = folder.file(name, bytes);
    const auto file = *TensorFile::open(path);
    fs::resize_file(path, 20);
    std::vector<float> numbers(static_cast<std::size_t>(file->entries()[0].shape[0]));
    const Result<void> read = file->read(0, std::vector<Index>{0}, file->entries()[0].shape, numbers);
    ASSERT_FALSE(read) << name;
    EXPECT_NE(read.error().message.find("has been shortened"), std::string::npos) << read.error().message;
  }
}

}  // namespace
}  // namespace attnscope::test
