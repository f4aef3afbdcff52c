// The table of formats for tensors: what a new format has to bring, and what follows from its line.
#include "io/tensors/tensor_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "io/base/file_formats.h"
#include "io/tensors/tensor_file.h"
#include "support/temporary_folder.h"
#include "vector_format.h"

namespace attnscope::test {
namespace {

std::vector<TensorFormat> formats_with_vectors() {
  std::vector<TensorFormat> formats(tensor_formats().begin(), tensor_formats().end());
  formats.push_back(vector_format());
  return formats;
}

std::string refusal(const std::filesystem::path& path, std::span<const TensorFormat> formats) {
  const auto file = TensorFile::open(path, TensorFile::kMemoryBudget, formats);
  return file ? "" : file.error().message;
}

TEST(TensorFormats, OneMoreIsAFileAndALine) {
  const TemporaryFolder folder;
  const std::string bytes = "VEC1" + little(3, 4) + float_bytes({1, -2, 0.5F});
  const std::vector<TensorFormat> formats = formats_with_vectors();
  // The name does not matter where the first bytes say what the file is.
  for (const char* const name : {"a.vec", "a", "a.npy"}) {
    const auto path = folder.file(name, bytes);
    const auto file = TensorFile::open(path, TensorFile::kMemoryBudget, formats);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ((*file)->entries().size(), 1U);
    EXPECT_EQ((*file)->entries()[0].name, "values");
    EXPECT_EQ((*file)->entries()[0].shape, (std::vector<Index>{3}));
    std::vector<float> numbers(2);
    ASSERT_TRUE((*file)->read(0, std::vector<Index>{1}, std::vector<Index>{3}, numbers));
    EXPECT_EQ(numbers, (std::vector<float>{-2, 0.5F}));
  }
  EXPECT_FALSE(TensorFile::open(folder / "a"));
}

TEST(TensorFormats, MessagesNameAllOfThem) {
  const TemporaryFolder folder;
  const auto path = folder.file("x", "nothing of all that");
  EXPECT_EQ(refusal(path, tensor_formats()), path.string() +
                                                 ": the file has no known format for tensors; "
                                                 "allowed: .safetensors, .npy or .npz");
  EXPECT_EQ(refusal(path, formats_with_vectors()), path.string() +
                                                       ": the file has no known format for tensors; "
                                                       "allowed: .safetensors, .npy, .npz or .vec");
  // The reader of what the name promises says what is missing.
  const auto cut = folder.file("x.VEC", "VE");
  EXPECT_EQ(refusal(cut, formats_with_vectors()), cut.string() + ": the file is cut off in its first 8 bytes");
}

TEST(TensorFormats, ScriptsReadEachByItsName) {
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_EQ(python_reading("/d/x.npy", names),
            "given = {\"\": torch.from_numpy(np.load(\"/d/x.npy\").astype(\"float32\"))}\n");
  EXPECT_EQ(python_reading("/d/x.safetensors", names),
            std::string(python_safetensors_reader()) +
                "names = [\"a\", \"b\"]\n"
                "with open(\"/d/x.safetensors\", \"rb\") as file:\n"
                "    archive = stored_tensors(file, names)\n"
                "given = {name: torch.from_numpy(archive[name]) for name in names}\n");
  EXPECT_EQ(python_reading("/d/x.NPZ", names),
            "names = [\"a\", \"b\"]\n"
            "archive = np.load(\"/d/x.NPZ\")\n"
            "given = {name: torch.from_numpy(archive[name].astype(\"float32\")) for name in names}\n");
  const std::vector<std::string> accented = {"é"};
  EXPECT_NE(python_reading("/d/x.npz", accented).find("cp437"), std::string::npos);
  EXPECT_EQ(python_reading("/d/x.vec", names, formats_with_vectors()),
            "given = {\"values\": torch.from_numpy(np.fromfile(\"/d/x.vec\", \"<f4\", offset=8))}\n");
  EXPECT_TRUE(python_reading("/d/\xff.npy", names).starts_with("import os\ngiven = "));
}

TEST(TensorFormats, ScriptsReadOtherNamesByTheirFirstBytes) {
  const std::vector<std::string> names = {"a"};
  EXPECT_EQ(python_reading("stdin", names, formats_with_vectors()),
            "import io\n" + std::string(python_safetensors_reader()) + R"(
def load(data):
    """The tensors of a file, whose first bytes reveal its format."""
    if data.startswith(b"\x93NUMPY"):
        return {"": np.load(io.BytesIO(data))}
    if data.startswith(b"PK"):
        return np.load(io.BytesIO(data))
    if data.startswith(b"VEC1"):
        return {"values": np.frombuffer(data, "<f4", offset=8)}
    return stored_tensors(io.BytesIO(data))

names = ["a"]
archive = load(sys.stdin.buffer.read())  # attnscope read the tensors from standard input; pipe in the same file
given = {name: torch.from_numpy(archive[name].astype("float32")) for name in names}
)");
  EXPECT_NE(python_reading("/d/x", names).find("with open(\"/d/x\", \"rb\") as file:\n"), std::string::npos);
}

TEST(TensorFormats, PythonEndsNamesInArchivesAtAZeroByte) {
  const std::string name("a\0b", 3);
  EXPECT_EQ(python_tensor_name(name, "/d/x.npz"), "a");
  EXPECT_EQ(python_tensor_name(name, "/d/x.safetensors"), name);
  EXPECT_EQ(python_tensor_name(name, "stdin"), name);
}

TEST(TensorFormats, OneIsTriedAfterAllOthers) {
  // Python code for a file whose name says nothing ends with exactly one format.
  const auto last = [](const TensorFormat& format) { return format.python.sniff.empty(); };
  EXPECT_EQ(std::ranges::count_if(tensor_formats(), last), 1);
}

}  // namespace
}  // namespace attnscope::test
