// A link is an experiment:
//
//   https://host/attnscope.html#x=1.eNqrVkrLL8pNLFGyUlBKLCnJK07OL…
//
// After "#x=" stand the version of this format, a dot, and the experiment as in a file (see experiment_file.h), on one
// line, compressed by zlib, as base64url without padding. What stands before the # is only where the link leads to in a
// browser; nothing is ever fetched. The model of an experiment is one of those that come with attnscope, and stands there
// by its name; other models, and tensors from files, cannot stand in a link.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/experiment/experiment.h"

namespace attnscope {

/// The most characters of a link from the # on: what is before it differs from place to place.
inline constexpr std::size_t kMaxLinkCharacters = 8192;
/// The most bytes of the experiment in a link, before it was compressed.
inline constexpr std::size_t kMaxLinkExperimentBytes = 256'000;
/// The page that a link leads to unless the user names another one.
inline constexpr std::string_view kLinkPage = "attnscope.html";

/// Whether `text` can only mean a link: an experiment in it may still be refused.
bool is_experiment_link(std::string_view text);

/// Of an experiment with a baseline.
inline constexpr const char* kLinkHasNoBaseline = "a link does not hold the baseline that the view compares with";

/// What messages call a source of an experiment: "the link", or `path_text` of a file's name.
std::string source_text(const std::filesystem::path& source);

/// Fails unless `page` can stand before the # of a link: up to 2000 characters of ASCII without #, blanks and quotes.
Result<void> check_link_page(std::string_view page);

/// A link to the experiment, with the address `page`, which is checked, before the #. Fails where the experiment cannot
/// stand in a link.
Result<std::string> write_experiment_link(const Experiment& experiment, std::string_view page = kLinkPage);

/// The experiment in a link, read as strictly as one in a file. White space around the link does not count. Errors are
/// one line that begins with "the link".
Result<Experiment> read_experiment_link(std::string_view link);

}  // namespace attnscope
