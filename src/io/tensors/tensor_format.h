// The formats of files of tensors. A format is one file in this folder, which defines a function declared here, and its
// line in the table of tensor_format.cpp: reading, messages, dialogs and PyTorch scripts take it from there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "io/base/byte_source.h"
#include "io/tensors/tensor_listing.h"

namespace attnscope {

/// How a PyTorch script reads a file of a format, without other packages. `np`, `io` and `torch` are imported there.
struct PythonReading {
  /// Statements that define `given`, the tensors of these names as float32, read from the file at `path`, an expression.
  std::string (*from_path)(const std::string& path, std::span<const std::string> names) = nullptr;
  /// A condition on `data`, the bytes of a file, that holds for this format only. Empty for the one format that is tried
  /// after all others.
  std::string_view sniff;
  /// Statements that return the NumPy arrays in `data` by their names.
  std::string_view from_bytes;
  /// Python takes a name to end before its first zero byte.
  bool names_end_at_zero = false;
  /// Definitions that both need; empty: none.
  std::string_view functions = {};
};

/// A format of files that hold tensors.
struct TensorFormat {
  std::string_view extension;  ///< ".npy", in lower case
  /// Whether a file that begins with `head`, its first kSniffedBytes or all of it, is of this format.
  bool (*sniff)(std::string_view head) = nullptr;
  /// Lists what is in the file. `memory_budget`: bytes that an inflated part may take. Errors omit the file's name.
  Result<TensorListing> (*list)(const ByteSource& file, std::uint64_t memory_budget) = nullptr;
  PythonReading python = {};
};

inline constexpr std::uint64_t kSniffedBytes = 512;

/// All formats, in the order in which they are tried and named.
std::span<const TensorFormat> tensor_formats();

TensorFormat safetensors_format();
/// Definition of a Python function that returns NumPy arrays from an open safetensors file: `stored_tensors(file, names)`.
std::string_view python_safetensors_reader();
TensorFormat npy_format();
TensorFormat npz_format();

/// The name under which Python finds the tensor `name` in `file`.
std::string python_tensor_name(std::string name, const std::string& file,
                               std::span<const TensorFormat> formats = tensor_formats());

/// What a file of `torch.save` is and how Python converts it, in one line with the file's name; nothing for a file that
/// begins otherwise. Such files are pickles: loading one can run any code.
Result<void> check_no_pickle(const std::filesystem::path& path);

/// Python statements that define `given`: the tensors of these names, each as `python_tensor_name` gives it, from
/// `file`. A file with the extension of another format, or of none, is read by its first bytes; one without a folder
/// arrives on standard input.
std::string python_reading(const std::string& file, std::span<const std::string> names,
                           std::span<const TensorFormat> formats = tensor_formats());

}  // namespace attnscope
