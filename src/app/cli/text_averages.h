// What `attnscope metrics --texts` prints: the measures of the heads over several texts, in the order that was asked for.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/head_table.h"
#include "core/studies/text_study.h"

namespace attnscope {

/// The study with the texts that it read.
struct StudiedTexts {
  Index count = 0;
  CheckedTexts checked;
  TextStudy study;
};

/// The means as the measures of attentions, which can be ranked.
std::vector<MeasuredAttention> mean_measures(const TextStudy& study);

/// A table with mean and spread of every measure, below them how many texts count where that is not all of them for every
/// measure, and what the measures mean.
std::string averages_text(const StudiedTexts& texts, const HeadRanking& ranking);

/// One line per head, then uniform attention of each attention.
std::string averages_csv(const StudiedTexts& texts, const HeadRanking& ranking);

/// The texts, and one object per head in the order of the ranking.
nlohmann::ordered_json averages_json(const StudiedTexts& texts, const HeadRanking& ranking);

}  // namespace attnscope
