// Vision transformer: a picture is cut into patches, which are the tokens. Source: Dosovitskiy et al. 2021, An Image is
// Worth 16x16 Words.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/models/model_builder.h"
#include "core/models/models.h"
#include "core/models/picture_fit.h"
#include "core/operations/pixels.h"

namespace attnscope {
namespace vit_parts {
namespace {

struct Vit {
  Index features = 0;
  Index heads = 0;
  Index hidden = 0;
  Index channels = 3;
  Index size = 0;   ///< pixels along a side of the picture
  Index patch = 0;  ///< pixels along a side of a patch
  double epsilon = 1e-12;
  bool qkv_bias = true;
  Activation activation = Activation::gelu;
  std::string stored;

  [[nodiscard]] Index patches() const { return (size / patch) * (size / patch); }
};

/// The experiment's picture, or the built-in one of shapes. One that has the model's size already is what the model gets.
PlacedPicture picture_of(ModelBuilder& m, Index size) {
  const PictureFit fit = read_picture_fit(m, size);
  const SharedPicture& own = m.experiment().picture;
  PlacedPicture drawn = {"shapes", size, size, kColors, nullptr};
  if (own.empty()) return drawn;
  if (own->rows == size && own->columns == size) return {"file", size, size, kColors, own.shared()};
  Result<ColorPicture> fitted = fitted_picture(fit, *own);
  if (!fitted) {
    m.fail(fitted.error().message);
    return drawn;
  }
  return {"file", size, size, kColors, std::make_shared<const ColorPicture>(std::move(*fitted))};
}

/// Whether there is a preprocessor_config.json: any of the fields that it may have.
bool has_preprocessor(const ModelBuilder& m) {
  return std::ranges::any_of(
      std::array{"do_normalize", "do_rescale", "do_resize", "feature_extractor_type", "image_mean",
                 "image_processor_type", "image_std", "resample", "rescale_factor", "size"},
      [&](const char* name) { return m.find(kPreprocessor + name) != nullptr; });
}

/// `pixels` as preprocessor_config.json prepares them.
Value prepared(ModelBuilder& m, const Vit& vit) {
  PixelsOperation pixels;
  pixels.picture = picture_of(m, vit.size);
  pixels.factor = m.flag("preprocessor.do_rescale", true) ? m.real("preprocessor.rescale_factor", 1.0 / 255) : 1;
  if (m.flag("preprocessor.do_normalize", has_preprocessor(m))) {
    const auto channels = static_cast<std::size_t>(vit.channels);
    // What a file leaves out is ViT's.
    const auto numbers_of = [&](const char* name) {
      const auto* const given = m.numbers(name);
      return given != nullptr ? *given : std::vector<double>(channels, 0.5);
    };
    pixels.means = numbers_of("preprocessor.image_mean");
    pixels.deviations = numbers_of("preprocessor.image_std");
    const bool fits = pixels.means.size() == channels && pixels.deviations.size() == channels &&
                      std::ranges::find(pixels.deviations, 0.0) == pixels.deviations.end();
    if (!fits) {
      m.fail("preprocessor_config.json: image_mean and image_std need " + std::to_string(channels) +
             " numbers each, and no deviation may be 0");
    }
  }
  Axes axes = {{"channel", vit.channels}, {"row", vit.size}, {"column", vit.size}};
  const auto flops = static_cast<double>(element_count(axes));
  return m.plan().record({"pixels", std::move(pixels), {}, std::move(axes), flops});
}

/// The convolution that steps as far as it is wide, as a product.
Value patches(ModelBuilder& m, const Vit& vit, Value pixels) {
  const std::string stored = vit.stored + "embeddings.patch_embeddings.projection";
  const Index side = vit.size / vit.patch;
  const Index whole = side * vit.patch;
  const Value used =
      whole == vit.size ? pixels : crop(m.plan(), "cropped_pixels", pixels, {vit.channels, whole, whole});
  const Value cut =
      rearrange(m.plan(), "patch_pixels", "channel (down y) (right x) -> patch=(down right) (channel y x)", used,
                {{"y", vit.patch}, {"x", vit.patch}});
  const Value kernel =
      m.weight("w_patches", stored + ".weight",
               {{"feature", vit.features}, {"channel", vit.channels}, {"y", vit.patch}, {"x", vit.patch}});
  const Value flat = rearrange(m.plan(), "w_patches_flat", "feature channel y x -> feature (channel y x)", kernel);
  ContractOptions options;
  options.bias = m.weight("b_patches", stored + ".bias", {{"feature", vit.features}});
  options.bias_pattern = "feature";
  return contract(m.plan(), "patches", "patch pixel, feature pixel -> patch feature", cut, flat, options);
}

Value embed(ModelBuilder& m, const Vit& vit) {
  const Value of_patches = patches(m, vit, prepared(m, vit));
  const std::string stored = vit.stored + "embeddings.";
  const Axis feature = {"feature", vit.features};
  const auto first = [&](const std::string& name, const std::string& tensor, Index rows) {
    const Value whole = m.weight(name + "_stored", stored + tensor, {{"one", 1}, {"token", rows}, feature});
    return rearrange(m.plan(), name, "one token feature -> token feature", whole, {}, {{"one", 0}});
  };
  const Value all = concatenate(m.plan(), "tokens", first("class_token", "cls_token", 1), of_patches);
  return m.residual("embedded", all, first("position_embeddings", "position_embeddings", vit.patches() + 1));
}

Value layer(ModelBuilder& m, const Vit& vit, const std::string& prefix, const std::string& stored, Value x) {
  const Value normed = m.layer_norm(prefix + "normed", x, stored + ".layernorm_before", vit.epsilon);
  const auto part = [&](const std::string& name, const std::string& position, const std::string& of) {
    const Value projected = m.linear(prefix + "projected_" + name, normed,
                                     {stored + ".attention.attention." + of, vit.features, vit.qkv_bias}, "head·dim");
    return m.split_heads(prefix + name, projected, vit.heads, position);
  };
  ModelBuilder::Attention attention = {prefix, part("q", "query", "query"), part("k", "key", "key"),
                                       part("v", "key", "value")};
  m.set_root_divisor(attention);
  const Value attended = m.linear(prefix + "attention_out", m.attend(attention),
                                  {stored + ".attention.output.dense", vit.features}, "feature");
  const Value middle = m.residual(prefix + "middle", x, attended);
  const Value mlp_normed = m.layer_norm(prefix + "mlp_normed", middle, stored + ".layernorm_after", vit.epsilon);
  const Value out = m.mlp(
      mlp_normed,
      {prefix, {stored + ".intermediate.dense", vit.hidden}, vit.activation, {stored + ".output.dense", vit.features}});
  return m.residual(prefix + "out", middle, out);
}

/// What the class token says of the picture.
void classify(ModelBuilder& m, const Vit& vit, Value final) {
  if (!m.has("classifier.weight")) return;
  const Value class_token = crop(m.plan(), "final_class_token", final, {1, vit.features});
  const Value logits = m.linear("logits", class_token, {"classifier", m.rows_in_file("classifier.weight")}, "label");
  softmax(m.plan(), "probabilities", logits);
}

Index image_size(ConfigReader& config) { return config.integer("image_size", 224); }

Result<ColorPicture> fit_picture(const Model& model, const ColorPicture& picture) {
  ConfigReader config(model);
  const PictureFit fit = read_picture_fit(config, image_size(config));
  if (config.error()) return fail(*config.error());
  return fitted_picture(fit, picture);
}

void build(ModelBuilder& m) {
  Vit vit;
  vit.features = m.integer("hidden_size");
  vit.heads = m.integer("num_attention_heads");
  vit.hidden = m.integer("intermediate_size");
  vit.channels = m.integer("num_channels", 3);
  vit.size = image_size(m);
  vit.patch = m.integer("patch_size", 16);
  vit.epsilon = m.positive("layer_norm_eps", 1e-12);
  vit.qkv_bias = m.flag("qkv_bias", true);
  vit.activation = m.activation("hidden_act", "gelu");
  const Index layers = m.integer("num_hidden_layers");
  m.divides("num_attention_heads", vit.heads, "hidden_size", vit.features);
  if (vit.channels != 1 && vit.channels != kColors)
    m.fail("config.json: num_channels: " + std::to_string(vit.channels) + " is not allowed; allowed: 1 or 3");
  if (vit.size > kMaxPictureSide || vit.patch > vit.size)
    m.fail("config.json: image_size " + std::to_string(vit.size) + " with patch_size " + std::to_string(vit.patch) +
           " is not allowed; allowed: pictures of at most " + std::to_string(kMaxPictureSide) +
           " pixels a side, and patches no larger than the picture");
  if (m.error()) return;
  vit.stored = m.prefix_of({"vit.", ""}, "embeddings.cls_token");
  Value x = embed(m, vit);
  for (Index number = 1; number <= layers && !m.error(); ++number)
    x = layer(m, vit, "layer" + std::to_string(number) + ".",
              vit.stored + "encoder.layer." + std::to_string(number - 1), x);
  classify(m, vit, m.layer_norm("final", x, vit.stored + "layernorm", vit.epsilon));
}

}  // namespace
}  // namespace vit_parts

ModelFamily vit() { return {"vit", ModelInput::picture, false, vit_parts::build, vit_parts::fit_picture}; }

}  // namespace attnscope
