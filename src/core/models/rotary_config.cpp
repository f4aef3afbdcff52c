#include "core/models/rotary_config.h"

#include <cmath>
#include <numbers>
#include <string>

#include "core/base/text.h"

namespace attnscope {
namespace {

/// Low frequencies are divided by the factor, high ones stay, and between the two there is a smooth passage. Source:
/// Dubey et al. 2024, The Llama 3 Herd of Models, and the code published with it.
double llama3_frequency(double frequency, double factor, double low, double high, double trained) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  if (wavelength < trained / high) return frequency;
  if (wavelength > trained / low) return frequency / factor;
  const double smooth = (trained / wavelength - low) / (high - low);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

/// `rope_scaling.NAME`, or `rope_parameters.NAME` where the file has the newer form.
std::string scaling_field(const ModelBuilder& m, const std::string& name) {
  const std::string newer = "rope_parameters." + name;
  return m.find(newer) != nullptr ? newer : "rope_scaling." + name;
}

}  // namespace

std::vector<double> rotary_config(ModelBuilder& m, Index rotated) {
  const char* const base = m.find("rope_parameters.rope_theta") != nullptr ? "rope_parameters.rope_theta"
                           : m.find("rotary_emb_base") != nullptr          ? "rotary_emb_base"
                                                                           : "rope_theta";
  const double theta = m.positive(base, 10000);
  std::vector<double> frequencies;
  frequencies.reserve(static_cast<std::size_t>(rotated / 2));
  for (Index i = 0; i < rotated / 2; ++i)
    frequencies.push_back(std::pow(theta, -2 * static_cast<double>(i) / static_cast<double>(rotated)));
  // Older files have the second name.
  const std::string named = m.find(scaling_field(m, "rope_type")) != nullptr ? "rope_type" : "type";
  const std::string type = m.choice(scaling_field(m, named), "default");
  // Dynamic scaling begins beyond the positions that the model was trained with, of which there are none here.
  if (type == "default" || type == "dynamic") return frequencies;
  const double factor = m.positive(scaling_field(m, "factor"));
  if (type == "linear") {
    for (double& each : frequencies) each /= factor;
  } else if (type == "llama3") {
    const double low = m.positive(scaling_field(m, "low_freq_factor"));
    const double high = m.positive(scaling_field(m, "high_freq_factor"));
    const double trained = m.positive(scaling_field(m, "original_max_position_embeddings"));
    for (double& each : frequencies) each = llama3_frequency(each, factor, low, high, trained);
  } else {
    m.fail("config.json: " + scaling_field(m, named) + ": " + quoted_text(type) +
           " is not known; allowed: default, dynamic, linear, llama3");
  }
  return frequencies;
}

}  // namespace attnscope
