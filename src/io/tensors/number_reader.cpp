#include "io/tensors/number_reader.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "core/base/stop.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kMaxWindow = std::uint64_t{1} << 18U;  // bytes read at a time
// Bytes between two runs that are read along with them: another call of the system takes longer.
constexpr std::uint64_t kSmallGap = 4096;

/// One axis, in the order of the file.
struct ReadAxis {
  Index begin = 0;
  Index end = 0;
  Index in_file = 0;  // numbers between neighbours there
  Index out = 0;      // and in the result
};

/// From the slowest axis of the file to its fastest; at least one.
std::vector<ReadAxis> axes_of(const StoredNumbers& stored, std::span<const Index> shape, const Box& box) {
  std::vector<ReadAxis> axes;
  Index out = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    axes.push_back({box.begin[axis], box.end[axis], 0, out});
    out *= box.end[axis] - box.begin[axis];
  }
  std::vector<Index> sizes(shape.begin(), shape.end());
  // C order has the last axis fastest, Fortran order the first.
  if (!stored.fortran_order) {
    std::reverse(axes.begin(), axes.end());
  } else {
    std::reverse(sizes.begin(), sizes.end());
  }
  Index in_file = 1;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    axes[axis].in_file = in_file;
    in_file *= sizes[axis];
  }
  if (axes.empty()) axes.push_back({0, 1, 1, 1});
  return axes;
}

/// A source that reads ahead.
class ReadWindow {
 public:
  /// Reads nothing from `end` on; `gap` bytes separate successive requests.
  ReadWindow(const ByteSource& source, std::uint64_t end, std::uint64_t gap)
      : source_(source), end_(end), ahead_(gap <= kSmallGap) {}

  /// `size` bytes from `at` on, at most kMaxWindow, valid until the next call.
  Result<std::span<const char>> bytes(std::uint64_t at, std::uint64_t size) {
    assert(size <= kMaxWindow && size <= end_ - at);
    if (at < at_ || at + size > at_ + buffer_.size()) {
      buffer_.resize(static_cast<std::size_t>(ahead_ ? std::min(kMaxWindow, end_ - at) : size));
      at_ = at;
      if (const Result<void> read = source_.read(at, buffer_); !read) return tl::unexpected(read.error());
    }
    return std::span<const char>(buffer_).subspan(static_cast<std::size_t>(at - at_), static_cast<std::size_t>(size));
  }

 private:
  const ByteSource& source_;
  std::uint64_t end_;
  bool ahead_;
  std::uint64_t at_ = 0;
  std::vector<char> buffer_;
};

/// Visits a box in the order of the file.
class BoxReader {
 public:
  BoxReader(const ByteSource& source, const StoredNumbers& stored, std::vector<ReadAxis> axes)
      : stored_(stored),
        axes_(std::move(axes)),
        bytes_(static_cast<std::uint64_t>(element_bytes(stored.type))),
        window_(source, last_byte(), gap()) {}

  Result<void> read(std::span<float> out, const StopToken& stop) {
    std::vector<Index> index;
    for (const ReadAxis& axis : axes_) index.push_back(axis.begin);
    while (true) {
      if (stop.stop_requested()) return fail("reading was stopped");
      if (Result<void> read = read_run(index, out); !read) return read;
      std::size_t axis = axes_.size() - 1;
      for (; axis > 0; --axis) {
        if (++index[axis - 1] < axes_[axis - 1].end) break;
        index[axis - 1] = axes_[axis - 1].begin;
      }
      if (axis == 0) return {};
    }
  }

 private:
  /// Reads a contiguous run, from `index` on to the end of the box along the fastest axis.
  Result<void> read_run(const std::vector<Index>& index, std::span<float> out) {
    Index in_file = 0;
    Index in_out = 0;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      in_file += index[axis] * axes_[axis].in_file;
      in_out += (index[axis] - axes_[axis].begin) * axes_[axis].out;
    }
    const ReadAxis& fastest = axes_.back();
    const auto most = static_cast<Index>(kMaxWindow / bytes_);
    for (Index left = fastest.end - fastest.begin; left > 0;) {
      const Index count = std::min(left, most);
      const auto bytes = window_.bytes(stored_.offset + static_cast<std::uint64_t>(in_file) * bytes_,
                                       static_cast<std::uint64_t>(count) * bytes_);
      if (!bytes) return tl::unexpected(bytes.error());
      to_floats(*bytes, stored_.type, stored_.big_endian, out.data() + in_out, fastest.out);
      left -= count;
      in_file += count;
      in_out += count * fastest.out;
    }
    return {};
  }

  /// After the last number of the box.
  [[nodiscard]] std::uint64_t last_byte() const {
    Index last = 0;
    for (const ReadAxis& axis : axes_) last += (axis.end - 1) * axis.in_file;
    return stored_.offset + (static_cast<std::uint64_t>(last) + 1) * bytes_;
  }

  /// Between the end of a run and the next one.
  [[nodiscard]] std::uint64_t gap() const {
    if (axes_.size() < 2) return 0;
    const ReadAxis& fastest = axes_.back();
    return static_cast<std::uint64_t>(axes_[axes_.size() - 2].in_file - (fastest.end - fastest.begin)) * bytes_;
  }

  StoredNumbers stored_;
  std::vector<ReadAxis> axes_;
  std::uint64_t bytes_;  // of a number
  ReadWindow window_;
};

/// Whether the file has the numbers of the box one after another, as they are in memory.
bool is_as_in_memory(const StoredNumbers& stored, std::span<const ReadAxis> axes) {
  if (stored.type != ElementType::f32 || stored.big_endian != (std::endian::native == std::endian::big)) return false;
  return std::all_of(axes.begin(), axes.end(),
                     [](const ReadAxis& axis) { return axis.end - axis.begin == 1 || axis.in_file == axis.out; });
}

/// Reads the box from the file to its place.
Result<void> read_as_it_is(const ByteSource& source, const StoredNumbers& stored, std::span<const ReadAxis> axes,
                           std::span<float> out, const StopToken& stop) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20U;
  std::uint64_t from = stored.offset;
  for (const ReadAxis& axis : axes) from += static_cast<std::uint64_t>(axis.begin * axis.in_file) * sizeof(float);
  while (!out.empty()) {
    if (stop.stop_requested()) return fail("reading was stopped");
    const std::span<float> some = out.first(std::min(out.size(), kAtOnce));
    if (Result<void> read = source.read(from, {reinterpret_cast<char*>(some.data()), some.size_bytes()}); !read)
      return read;
    from += some.size_bytes();
    out = out.subspan(some.size());
  }
  return {};
}

}  // namespace

Result<Index> count_in(const Box& box, std::span<const Index> shape) {
  bool right = box.begin.size() == shape.size() && box.end.size() == shape.size();
  Index count = 1;
  for (std::size_t axis = 0; right && axis < shape.size(); ++axis) {
    right = box.begin[axis] >= 0 && box.begin[axis] <= box.end[axis] && box.end[axis] <= shape[axis];
    count = saturating_product(count, box.end[axis] - box.begin[axis]);
  }
  if (right) return count;
  return fail("there is no slice " + index_text(box.begin) + " to " + index_text(box.end) + "; allowed: within " +
              index_text(shape));
}

Result<void> read_numbers(const ByteSource& source, const StoredNumbers& stored, std::span<const Index> shape,
                          const Box& box, std::span<float> out, const StopToken& stop) {
  if (out.empty()) return {};
  std::vector<ReadAxis> axes = axes_of(stored, shape, box);
  if (is_as_in_memory(stored, axes)) return read_as_it_is(source, stored, axes, out, stop);
  return BoxReader(source, stored, std::move(axes)).read(out, stop);
}

}  // namespace attnscope
