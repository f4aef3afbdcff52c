// An image on the graphics card.
#pragma once

#include <memory>

#include "platform/gl/image.h"

namespace attnscope::platform {

/// An OpenGL texture. Its context must be current in all functions and the destructor.
class ImageTexture {
 public:
  ImageTexture();
  ~ImageTexture();
  ImageTexture(ImageTexture&& other) noexcept;
  ImageTexture& operator=(ImageTexture&& other) noexcept;
  ImageTexture(const ImageTexture&) = delete;
  ImageTexture& operator=(const ImageTexture&) = delete;

  /// Uploads `image`, in place of an earlier one. Uses texture unit 0. `smooth`: for other sizes than its own.
  void set(const Image& image, bool smooth = false);
  /// The OpenGL name; 0: no image was set.
  [[nodiscard]] unsigned name() const;

 private:
  struct Resident;
  std::unique_ptr<Resident> resident_;
};

}  // namespace attnscope::platform
