// What preprocessor_config.json does to the size of a picture.
#pragma once

#include "core/base/result.h"
#include "core/experiment/resample.h"
#include "core/models/config_reader.h"

namespace attnscope {

/// Rows and columns; 0 × 0: none.
struct PixelSize {
  Index rows = 0;
  Index columns = 0;

  [[nodiscard]] bool empty() const { return rows == 0; }

  friend bool operator==(const PixelSize&, const PixelSize&) = default;
};

/// A picture is first resized, then its middle is cut out.
struct PictureFit {
  PixelSize model;          ///< what comes out
  PixelSize resized;        ///< none: as `shortest_edge` says
  Index shortest_edge = 0;  ///< of the picture with the same ratio of the sides; 0: not resized
  Resampling method = Resampling::bilinear;
  PixelSize cropped;  ///< none: nothing is cut off
};

/// Reads do_resize, size, resample, do_center_crop and crop_size. What cannot give a picture of `size` × `size` pixels
/// becomes the reader's error.
PictureFit read_picture_fit(ConfigReader& config, Index size);

/// The picture as the model gets it. Errors begin with "picture".
Result<ColorPicture> fitted_picture(const PictureFit& fit, const ColorPicture& picture);

}  // namespace attnscope
