// What is said about vectors that are drawn as arrows.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "figure/slices/head_vectors.h"
#include "figure/slices/token_names.h"

namespace attnscope {

/// The cosine of the angle between two vectors; nothing if one of them is 0.
std::optional<double> cosine_of(std::span<const double> a, std::span<const double> b);
/// "62.1°", the angle with that cosine.
std::string degrees_text(double cosine);

class VectorText {
 public:
  /// `drags`: says whether an arrow can be dragged.
  VectorText(const Trace& trace, const HeadVectors& vectors, bool drags);

  /// "q_{2} cat", "k_{3} sat": markup.
  [[nodiscard]] std::string query_label(Index query) const;
  [[nodiscard]] std::string key_label(const std::string& letter, Index key) const;
  /// "|q|".
  [[nodiscard]] std::string length_symbol(int factor) const;

  /// Which plane it is and what it loses; `symbols` is "Q and K".
  [[nodiscard]] std::string plane_caption(const VectorPlane& plane, const std::string& symbols) const;
  [[nodiscard]] std::string axis_title(const VectorPlane& plane, std::size_t axis) const;
  /// "direction 1 = 0.71 dim 5 − 0.44 dim 2 + …"; empty where it is a dimension.
  [[nodiscard]] std::string axis_about(const VectorPlane& plane, std::size_t axis) const;
  /// "output = 0.42 v_{1} + 0.21 v_{2} + …", with at most so many terms; markup.
  [[nodiscard]] std::string blend_text(std::size_t most) const;
  /// The angle between two vectors of the plane; says so where they have more dimensions.
  [[nodiscard]] std::string angle_label(const std::array<double, 2>& a, const std::array<double, 2>& b) const;

  // Tooltips at the tips of drawn rows.
  [[nodiscard]] std::string about_query(std::size_t which) const;
  [[nodiscard]] std::string about_key(std::size_t which) const;
  [[nodiscard]] std::string about_value(std::size_t which) const;
  [[nodiscard]] std::string about_output() const;

  /// Why a drag cannot change a row of that tensor; empty: it can.
  [[nodiscard]] std::string drag_refusal(const TensorRows& rows) const;

  /// What is not drawn, as sentences; empty: everything is.
  [[nodiscard]] std::string notes() const;

 private:
  [[nodiscard]] std::string about_row(const std::string& what, std::span<const double> row, const VectorPlane& plane,
                                      const std::string& more) const;
  [[nodiscard]] std::string drag_text(const TensorRows& rows) const;
  [[nodiscard]] std::string key_words(Index key) const;

  const Trace& trace_;
  const HeadVectors& v_;
  bool drags_;
  TokenNames query_names_;
};

}  // namespace attnscope
