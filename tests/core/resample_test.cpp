// Pictures at another size: Pillow's bytes, see tests/golden/pictures.py, and what preprocessor_config.json asks for.
#include "core/experiment/resample.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/models/picture_fit.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

json golden_sizes() {
  std::ifstream file(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "tests/golden/pictures.json");
  return json::parse(file);
}

ColorPicture picture_in(const json& entry) {
  ColorPicture picture = {entry.at("rows").get<Index>(), entry.at("columns").get<Index>(), {}};
  const auto digits = entry.at("rgb").get<std::string>();
  for (std::size_t at = 0; at < digits.size(); at += 2)
    picture.rgb.push_back(static_cast<std::uint8_t>(std::stoi(digits.substr(at, 2), nullptr, 16)));
  return picture;
}

/// A model of which only the configuration is known.
class Configured final : public Model {
 public:
  explicit Configured(ModelConfig config) : config_(std::move(config)) {}

  [[nodiscard]] const std::string& folder() const override { return name_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const ModelConfig& config() const override { return config_; }
  [[nodiscard]] const std::shared_ptr<const ImportedTensors>& weights() const override { return weights_; }
  [[nodiscard]] bool has_tokenizer() const override { return false; }
  [[nodiscard]] Result<ModelText> tokens(std::string_view /*text*/, const std::optional<std::string>& /*second*/,
                                         bool /*for_decoder*/) const override {
    return fail("no tokenizer");
  }
  [[nodiscard]] std::string token_text(Index /*id*/) const override { return ""; }

 private:
  std::string name_ = "model";
  ModelConfig config_;
  std::shared_ptr<const ImportedTensors> weights_;
};

ConfigValue value_of(const json& value) {
  return value.is_boolean() ? ConfigValue(value.get<bool>()) : ConfigValue(value.get<double>());
}

Configured configured(const json& entries) {
  ModelConfig config;
  for (const auto& [name, value] : entries.items()) {
    if (!value.is_object()) config["preprocessor." + name] = value_of(value);
    if (!value.is_object()) continue;
    for (const auto& [part, number] : value.items()) config["preprocessor." + name + "." + part] = value_of(number);
  }
  return Configured(std::move(config));
}

/// What a model that sees `size` × `size` pixels gets, or the reason why not.
Result<ColorPicture> seen(const json& entries, Index size, const ColorPicture& picture) {
  const Configured model = configured(entries);
  ConfigReader config(model);
  const PictureFit fit = read_picture_fit(config, size);
  if (config.error()) return fail(*config.error());
  return fitted_picture(fit, picture);
}

ColorPicture grey(Index rows, Index columns) {
  return {rows, columns, std::vector<std::uint8_t>(static_cast<std::size_t>(rows * columns * kColors), 128)};
}

TEST(Resample, HasPillowsBytes) {
  const json cases = golden_sizes().at("resized");
  EXPECT_EQ(cases.size(), 48U);
  for (const json& each : cases) {
    const ColorPicture expected = picture_in(each.at("to"));
    const Resampling method = *resampling_of(each.at("method").get<double>());
    EXPECT_EQ(resampled(picture_in(each.at("from")), expected.rows, expected.columns, method), expected)
        << each.at("method") << ", " << each.at("from").at("rows") << " × " << each.at("from").at("columns");
  }
}

TEST(Resample, KeepsOneColourAtAnySize) {
  for (const double method : {0., 1., 2., 3., 4., 5.}) {
    for (const auto& [rows, columns] : {std::pair<Index, Index>(1, 1), {3, 50}, {211, 7}})
      EXPECT_EQ(resampled(grey(20, 31), rows, columns, *resampling_of(method)), grey(rows, columns)) << method;
  }
}

TEST(Resample, MethodsHaveNumbers) {
  for (const double wrong : {-1., 6., 2.5, std::nan("")}) EXPECT_FALSE(resampling_of(wrong)) << wrong;
  EXPECT_EQ(resampling_of(3), Resampling::bicubic);
}

TEST(PictureFit, IsWhatThePreprocessorAsksFor) {
  const json cases = golden_sizes().at("fitted");
  for (const json& each : cases) {
    const Result<ColorPicture> picture = seen(each.at("entries"), 6, picture_in(each.at("from")));
    ASSERT_TRUE(picture) << each.at("entries") << ": " << picture.error().message;
    EXPECT_EQ(*picture, picture_in(each.at("to"))) << each.at("entries");
  }
  EXPECT_EQ(*seen(json::object(), 8, grey(20, 30)), grey(8, 8)) << "image_size by default";
}

TEST(PictureFit, WhatDoesNotGiveThePictureOfTheModelIsRefused) {
  struct Case {
    const char* entries;
    Index rows;
    Index columns;
    const char* message;
  };
  for (const Case& each : {
           Case{
               R"({"size": 5})", 8, 8,
               "model: preprocessor_config.json: size: 5 × 5 pixels are not allowed; allowed: 6 × 6, the image_size in "
               "config.json"},
           {R"({"size": {"height": 6}})", 8, 8, "model: preprocessor_config.json: size.width is missing"},
           {R"({"size": 9, "do_center_crop": true, "crop_size": 5})", 8, 8,
            "model: preprocessor_config.json: crop_size: 5 × 5 pixels are not allowed; allowed: 6 × 6, the image_size "
            "in "
            "config.json"},
           {R"({"size": 4, "do_center_crop": true})", 8, 8,
            "model: preprocessor_config.json: size: 4 × 4 pixels are not allowed; allowed: at least 6 × 6, the "
            "crop_size"},
           {R"({"resample": 6})", 8, 8,
            "model: preprocessor_config.json: resample: 6 is not allowed; allowed: whole numbers from 0 to 5"},
           {R"({"do_resize": false})", 8, 9, "picture: 8 × 9 pixels are not allowed; allowed: 6 × 6"},
           {R"({"size": {"shortest_edge": 6}})", 8, 16,
            "picture: 8 × 16 pixels, resized to 6 × 12, are not allowed; allowed: 6 × 6"},
           {R"({"size": {"shortest_edge": 5}, "do_center_crop": true})", 8, 16,
            "picture: 8 × 16 pixels, resized to 5 × 10, are not allowed; allowed: at least 6 × 6"},
           {R"({"size": {"shortest_edge": 16000000}, "do_center_crop": true})", 1, 16000,
            "picture: 1 × 16000 pixels, resized to 16000000 × 256000000000, are not allowed; allowed: at most "
            "64,000,000 "
            "pixels"},
       }) {
    const Result<ColorPicture> picture = seen(json::parse(each.entries), 6, grey(each.rows, each.columns));
    ASSERT_FALSE(picture) << each.entries;
    EXPECT_EQ(picture.error().message, each.message);
  }
}

}  // namespace
}  // namespace attnscope::test
