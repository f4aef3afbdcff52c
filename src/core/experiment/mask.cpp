#include "core/experiment/mask.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr const char* kForms = "none, causal, window:R, padding:L, padding:L1,L2,… or an array of true and false";
const std::array<std::string, 4> kKinds = {"none", "causal", "window", "padding"};

Result<Index> parse_count(std::string_view text, std::string_view whole) {
  const std::optional<Index> value = parse_integer(text);
  if (!value || *value < 0 || *value > 2147483647) {
    return fail("mask: " + quoted_text(whole) + " needs whole numbers from 0 to 2147483647 after the colon");
  }
  return *value;
}

}  // namespace

Result<Mask> parse_mask(std::string_view text) {
  Mask mask;
  if (text == "none") return mask;
  if (text == "causal") {
    mask.kind = Mask::Kind::causal;
    return mask;
  }
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (colon == std::string_view::npos || (kind != "window" && kind != "padding")) {
    const std::vector<std::string> near = nearest_names(kind, kKinds);
    const bool is_meant = !near.empty() && near.front() != kind;
    return fail("mask: " + quoted_text(text) + " is unknown" +
                (is_meant ? " (did you mean " + near.front() + "?)" : "") + "; allowed: " + kForms);
  }
  const std::string_view rest = text.substr(colon + 1);
  if (kind == "window") {
    mask.kind = Mask::Kind::window;
    const Result<Index> radius = parse_count(rest, text);
    if (!radius) return tl::unexpected(radius.error());
    mask.radius = *radius;
    return mask;
  }
  mask.kind = Mask::Kind::padding;
  for (const std::string& part : split(rest, ',')) {
    const Result<Index> length = parse_count(part, text);
    if (!length) return tl::unexpected(length.error());
    mask.lengths.push_back(*length);
  }
  return mask;
}

std::string mask_text(const Mask& mask) {
  switch (mask.kind) {
    case Mask::Kind::none: return "none";
    case Mask::Kind::causal: return "causal";
    case Mask::Kind::window: return "window:" + std::to_string(mask.radius);
    case Mask::Kind::padding: {
      std::string text = "padding:";
      for (std::size_t i = 0; i < mask.lengths.size(); ++i)
        text += (i == 0 ? "" : ",") + std::to_string(mask.lengths[i]);
      return text;
    }
    case Mask::Kind::array: break;
  }
  std::string text;
  for (const Index size : mask.shape) text += (text.empty() ? "" : " × ") + std::to_string(size);
  return "array[" + text + "]";
}

Result<void> check_mask(const Mask& mask, const MaskSizes& sizes) {
  if (mask.kind == Mask::Kind::padding) {
    const auto count = static_cast<Index>(mask.lengths.size());
    if (count != 1 && count != sizes.batch) {
      return fail("mask: padding has " + std::to_string(count) + " lengths; allowed: 1" +
                  (sizes.batch == 1 ? "" : " or " + std::to_string(sizes.batch) + ", one for each batch item"));
    }
    for (const Index length : mask.lengths) {
      if (length > sizes.keys) {
        return fail("mask: padding length " + std::to_string(length) + " exceeds the " + std::to_string(sizes.keys) +
                    " keys");
      }
    }
  }
  if (mask.kind == Mask::Kind::array) {
    double values = 1;  // exact for every size that fits into memory, and never overflows
    for (const Index size : mask.shape) values *= static_cast<double>(size);
    if (values != static_cast<double>(mask.keep.size())) {
      return fail("mask: " + mask_text(mask) + " has " + std::to_string(mask.keep.size()) +
                  " values; allowed: " + exact_text(values) + ", as its shape says");
    }
    std::vector<Index> shape = mask.shape;
    if (shape.size() == 3) shape.insert(shape.begin() + 1, 1);
    while (shape.size() < 4) shape.insert(shape.begin(), 1);
    const auto fits = [](Index have, Index want) { return have == want || have == 1; };
    if (mask.shape.size() < 2 || shape.size() > 4 || !fits(shape[0], sizes.batch) || !fits(shape[1], sizes.heads) ||
        shape[2] != sizes.queries || shape[3] != sizes.keys) {
      return fail("mask: " + mask_text(mask) + " does not fit; allowed: [queries × keys] = [" +
                  std::to_string(sizes.queries) + " × " + std::to_string(sizes.keys) + "], with batch " +
                  std::to_string(sizes.batch) + " or 1, or batch and heads " + std::to_string(sizes.heads) +
                  " or 1, before them");
    }
  }
  return {};
}

Result<Mask> with_pair(const Mask& mask, const MaskSizes& sizes, Index batch, Index head, Index query, Index key,
                       bool keep) {
  const auto within = [](Index at, Index size) { return at >= 0 && at < size; };
  if (!within(batch, sizes.batch) || !within(head, sizes.heads) || !within(query, sizes.queries) ||
      !within(key, sizes.keys)) {
    return fail("mask: query " + std::to_string(query + 1) + " and key " + std::to_string(key + 1) +
                " are not there; allowed: up to " + std::to_string(sizes.queries) + " and " +
                std::to_string(sizes.keys));
  }
  Mask made;
  made.kind = Mask::Kind::array;
  if (mask.kind == Mask::Kind::array) {
    made.shape = mask.shape;
  } else if (mask.kind == Mask::Kind::padding && mask.lengths.size() > 1) {
    made.shape = {sizes.batch, sizes.queries, sizes.keys};
  } else {
    made.shape = {sizes.queries, sizes.keys};
  }
  Index matrices = 1;
  for (std::size_t i = 0; i + 2 < made.shape.size(); ++i) matrices = saturating_product(matrices, made.shape[i]);
  const Index pairs = saturating_product(saturating_product(sizes.queries, sizes.keys), matrices);
  if (pairs > kMaxMaskPairs) {
    return fail("mask: " + mask_text(made) + " is too large to edit; allowed: at most " +
                std::to_string(kMaxMaskPairs) + " query–key pairs");
  }
  const MaskField field(mask, sizes);
  const Index heads = made.shape.size() == 4 ? made.shape[1] : 1;
  const bool tells_items = made.shape.size() > 2 && made.shape[0] > 1;
  made.keep.reserve(static_cast<std::size_t>(pairs));
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    const bool its_own = (!tells_items || matrix / heads == batch) && (heads == 1 || matrix % heads == head);
    for (Index i = 0; i < sizes.queries; ++i) {
      for (Index j = 0; j < sizes.keys; ++j) {
        const bool here = its_own && i == query && j == key;
        made.keep.push_back(here ? keep : field.keeps(matrix / heads, matrix % heads, i, j));
      }
    }
  }
  if (std::find(made.keep.begin(), made.keep.end(), false) == made.keep.end()) return Mask{};
  return made;
}

Mask fitted(const Mask& mask, const MaskSizes& sizes) {
  if (mask.kind != Mask::Kind::array || check_mask(mask, sizes)) return mask;
  const std::size_t rank = mask.shape.size();
  if (rank < 2) return mask;
  const Index old_queries = mask.shape[rank - 2];
  const Index old_keys = mask.shape[rank - 1];
  // An axis of size 1 broadcasts and keeps its size.
  Mask made = mask;
  made.keep.clear();
  if (rank >= 3 && mask.shape[0] > 1) made.shape[0] = sizes.batch;
  if (rank == 4 && mask.shape[1] > 1) made.shape[1] = sizes.heads;
  made.shape[rank - 2] = sizes.queries;
  made.shape[rank - 1] = sizes.keys;
  const Index items = rank >= 3 ? made.shape[0] : 1;
  const Index heads = rank == 4 ? made.shape[1] : 1;
  const Index old_items = rank >= 3 ? mask.shape[0] : 1;
  const Index old_heads = rank == 4 ? mask.shape[1] : 1;
  for (Index item = 0; item < items; ++item) {
    for (Index head = 0; head < heads; ++head) {
      for (Index query = 0; query < sizes.queries; ++query) {
        for (Index key = 0; key < sizes.keys; ++key) {
          const bool known = item < old_items && head < old_heads && query < old_queries && key < old_keys;
          const Index at = ((item * old_heads + head) * old_queries + query) * old_keys + key;
          made.keep.push_back(!known || mask.keep[static_cast<std::size_t>(at)]);
        }
      }
    }
  }
  return made;
}

MaskField::MaskField(Mask mask, MaskSizes sizes) : mask_(std::move(mask)), sizes_(sizes) {
  std::ranges::sort(mask_.pairs);
}

bool MaskField::keeps(Index batch, Index head, Index query, Index key) const {
  return kind_keeps(batch, head, query, key) && !is_masked_pair(head, query, key);
}

KeptKeys MaskField::range(Index batch, Index query) const {
  const Index keys = sizes_.keys;
  switch (mask_.kind) {
    case Mask::Kind::causal:
      return {mask_.last == 0 ? 0 : std::clamp<Index>(query + 1 - mask_.last, 0, keys), std::min(query + 1, keys)};
    case Mask::Kind::window:
      return {std::clamp<Index>(query - mask_.radius, 0, keys), std::min(query + mask_.radius + 1, keys)};
    case Mask::Kind::padding:
      return {0, mask_.lengths[mask_.lengths.size() == 1 ? 0 : static_cast<std::size_t>(batch)]};
    case Mask::Kind::none:
    case Mask::Kind::array: break;
  }
  return {0, keys};
}

bool MaskField::is_masked_pair(Index head, Index query, Index key) const {
  const std::vector<MaskedPair>& pairs = mask_.pairs;
  return !pairs.empty() && (std::ranges::binary_search(pairs, MaskedPair{head, query, key}) ||
                            std::ranges::binary_search(pairs, MaskedPair{head, -1, key}));
}

std::string MaskField::reason(Index head, Index query, Index key) const {
  if (is_masked_pair(head, query, key)) return "intervention";
  return mask_.kind == Mask::Kind::none ? "no mask" : mask_text(mask_) + " mask";
}

bool MaskField::kind_keeps(Index batch, Index head, Index query, Index key) const {
  if (mask_.kind != Mask::Kind::array) {
    const KeptKeys kept = range(batch, query);
    return kept.begin <= key && key < kept.end;
  }
  const std::size_t rank = mask_.shape.size();
  Index at = 0;
  if (rank >= 3 && mask_.shape[0] > 1) at = batch;
  if (rank == 4) at = at * mask_.shape[1] + (mask_.shape[1] > 1 ? head : 0);
  return mask_.keep[static_cast<std::size_t>((at * sizes_.queries + query) * sizes_.keys + key)];
}

bool MaskField::keeps_any(Index batch, Index head, Index query) const {
  for (Index key = 0; key < sizes_.keys; ++key) {
    if (keeps(batch, head, query, key)) return true;
  }
  return false;
}

Index MaskField::empty_rows() const {
  const auto& [batch, heads, queries, keys] = sizes_;
  const bool is_regular = keys > 0 && mask_.pairs.empty();
  if (is_regular && (mask_.kind == Mask::Kind::none || mask_.kind == Mask::Kind::causal)) return 0;
  // Queries more than the radius beyond the last key.
  if (is_regular && mask_.kind == Mask::Kind::window)
    return batch * heads * std::max<Index>(0, queries - (keys + mask_.radius));
  Index empty = 0;
  for (Index row = 0; row < batch * heads * queries; ++row)
    empty += keeps_any(row / queries / heads, row / queries % heads, row % queries) ? 0 : 1;
  return empty;
}

}  // namespace attnscope
