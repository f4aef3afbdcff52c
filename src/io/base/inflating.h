// zlib data, inflated piece by piece. Private to io/.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace attnscope {

/// Inflates data that may arrive in several parts.
class Inflating {
 public:
  explicit Inflating(std::string_view bytes = {}) {
    state_ = inflateInit(&stream_);
    begun_ = state_ == Z_OK;
    give(bytes);
  }
  Inflating(const Inflating&) = delete;
  Inflating& operator=(const Inflating&) = delete;
  ~Inflating() {
    if (begun_) inflateEnd(&stream_);
  }

  /// Continues with `bytes`, below 4 GB, once the previous part is used up. They must stay where they are.
  void give(std::string_view bytes) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(std::min<std::size_t>(bytes.size(), UINT32_MAX));
    if (state_ == Z_BUF_ERROR) state_ = Z_OK;
  }
  /// Inflates into `piece` and returns the number of bytes. Fewer than fit: the input is used up.
  std::size_t next(std::span<char> piece) {
    stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream_.avail_out = static_cast<uInt>(piece.size());
    while (state_ == Z_OK && stream_.avail_out > 0) state_ = inflate(&stream_, Z_NO_FLUSH);
    return piece.size() - stream_.avail_out;
  }
  /// Whether the data was complete and undamaged.
  [[nodiscard]] bool complete() const { return state_ == Z_STREAM_END; }
  /// Whether `next` has nothing more to give, as far as is known.
  [[nodiscard]] bool ended() const { return state_ != Z_OK; }
  /// The number of input bytes read.
  [[nodiscard]] std::size_t used() const { return stream_.total_in; }

 private:
  z_stream stream_ = {};
  int state_ = Z_OK;
  bool begun_ = false;
};

}  // namespace attnscope
