#include "platform/heatmap/source_tiles.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace attnscope::platform {
namespace {

using Clock = std::chrono::steady_clock;

// The drawing thread computes an estimate for every matrix of a new figure at once: it must be small.
constexpr Index kGuessSide = 64;

std::size_t bytes_of(const MatrixPart& part) {
  return sizeof(float) * static_cast<std::size_t>(part.rows * part.columns);
}

/// Adds the duration of a scope to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

SourceTiles::SourceTiles(SourceTileOptions options)
    : options_(std::move(options)), loader_(std::make_unique<TileLoader>(options_.arrived)) {}

void SourceTiles::begin_frame() {
  ++frame_;
  upload_seconds_ = 0;
  uploads_waiting_ = false;
  missing_before_ = std::exchange(missing_, {});
}

SourceTiles::Matrix& SourceTiles::matrix_of(const Source& source) {
  Matrix& matrix = matrices_[source.get()];
  // A new matrix may have the address of a released one.
  if (matrix.source.expired()) matrix = {++matrices_seen_, source, nullptr};
  return matrix;
}

SourceTiles::Matrix* SourceTiles::find_matrix(std::uint64_t number) {
  const auto found = std::find_if(matrices_.begin(), matrices_.end(),
                                  [&](const auto& entry) { return entry.second.number == number; });
  return found == matrices_.end() || found->second.source.expired() ? nullptr : &found->second;
}

const Texture* SourceTiles::available(const Source& source, const MatrixPart& part) {
  const auto tile = tiles_.find(key_of(matrix_of(source).number, part));
  if (tile == tiles_.end()) return nullptr;
  tile->second.used_in_frame = frame_;
  return &tile->second.texture;
}

const Texture* SourceTiles::wanted(const Source& source, const MatrixPart& part) {
  const Texture* const texture = available(source, part);
  if (texture == nullptr) ask_for(matrix_of(source), source, part, false);
  return texture;
}

void SourceTiles::ask_for(const Matrix& matrix, const Source& source, const MatrixPart& part, bool patient) {
  const TileRequest request = {matrix.number, part, source, patient};
  const auto same = [&](const Missing& each) { return each.request.same_tile(request); };
  if (std::any_of(missing_.begin(), missing_.end(), same)) return;
  const auto before = std::find_if(missing_before_.begin(), missing_before_.end(), same);
  missing_.push_back({request, before == missing_before_.end() ? frame_ : before->since});
}

void SourceTiles::guess(Matrix& matrix, const MatrixSource& source) const {
  Overview overview = {overview_part(source, kGuessSide), {}, false, source.revision()};
  overview.texels.resize(static_cast<std::size_t>(overview.part.rows * overview.part.columns));
  if (source.coarse(overview.part, overview.texels)) matrix.overview = std::make_unique<Overview>(std::move(overview));
}

const Overview* SourceTiles::overview(const Source& source) {
  Matrix& matrix = matrix_of(source);
  const bool better = matrix.overview && !matrix.overview->exact && source->revision() > matrix.overview->revision;
  if (better) release([&](const TileKey& key, const Tile&) { return key.identity == matrix.number; });
  if (!matrix.overview || better) guess(matrix, *source);
  if (!matrix.overview || !matrix.overview->exact)
    ask_for(matrix, source, overview_part(*source, options_.overview_side), matrix.overview != nullptr);
  return matrix.overview.get();
}

const Texture& SourceTiles::whole(const Source& source, int row_level, int column_level) {
  const Matrix& matrix = matrix_of(source);
  const MatrixPart part = {
      row_level, column_level, 0, 0, texels_at(source->rows(), row_level), texels_at(source->columns(), column_level)};
  if (const Texture* const texture = available(source, part)) return *texture;
  const Stopwatch stopwatch(upload_seconds_);
  const Overview& overview = *matrix.overview;
  MatrixPart rest = part;
  rest.row_level -= overview.part.row_level;
  rest.column_level -= overview.part.column_level;
  std::vector<float> texels(static_cast<std::size_t>(part.rows * part.columns));
  pool_part({overview.texels.data(), overview.part.rows, overview.part.columns, overview.part.columns, 1}, rest,
            texels);
  return upload(key_of(matrix.number, part), texels);
}

const Texture& SourceTiles::upload(const TileKey& key, const std::vector<float>& texels) {
  const auto [tile, is_new] = tiles_.try_emplace(key);
  tile->second.used_in_frame = frame_;
  tile->second.texture.bind(0);
  fill_texture(key.region.columns, key.region.rows, texels.data(), false);
  if (is_new) bytes_ += bytes_of(key.region);
  ++uploads_;
  return tile->second.texture;
}

void SourceTiles::upload_arrived() {
  for (LoadedTile& tile : loader_->take()) arrived_.push_back(std::move(tile));
  if (arrived_.empty()) return;
  const Stopwatch stopwatch(upload_seconds_);
  const auto start = Clock::now();
  const auto time_left = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count() < options_.upload_seconds;
  };
  // At least one per frame: otherwise nothing would ever arrive if a single upload exceeds the limit.
  for (bool first = true; !arrived_.empty() && (first || time_left()); arrived_.pop_front()) {
    if (accept(arrived_.front())) first = false;
  }
  uploads_waiting_ = !arrived_.empty();
}

bool SourceTiles::accept(LoadedTile& tile) {
  Matrix* const matrix = find_matrix(tile.matrix);
  const Source source = matrix == nullptr ? nullptr : matrix->source.lock();
  if (!source) return false;
  const MatrixPart overview = overview_part(*source, options_.overview_side);
  if (tile.part != overview) {
    upload(key_of(tile.matrix, tile.part), tile.texels);
    return true;
  }
  // Textures of the estimate are obsolete.
  release([&](const TileKey& key, const Tile&) {
    return key.identity == tile.matrix && key.region.row_level >= overview.row_level &&
           key.region.column_level >= overview.column_level;
  });
  matrix->overview = std::make_unique<Overview>(Overview{tile.part, std::move(tile.texels), true, 0});
  return true;
}

template <typename Gone>
void SourceTiles::release(const Gone& gone) {
  std::erase_if(tiles_, [&](const auto& tile) {
    const bool erased = gone(tile.first, tile.second);
    if (erased) bytes_ -= bytes_of(tile.first.region);
    return erased;
  });
}

void SourceTiles::keep_to_limit() {
  if (bytes_ <= options_.byte_limit) return;
  std::vector<std::pair<std::uint64_t, std::size_t>> ages;  // frame, bytes
  for (const auto& [key, tile] : tiles_) {
    if (tile.used_in_frame < frame_) ages.emplace_back(tile.used_in_frame, bytes_of(key.region));
  }
  std::sort(ages.begin(), ages.end());
  std::size_t left = bytes_;
  std::uint64_t oldest_kept = 0;
  for (const auto& [frame, bytes] : ages) {
    if (left <= options_.byte_limit) break;
    left -= bytes;
    oldest_kept = frame + 1;
  }
  release([&](const TileKey&, const Tile& tile) { return tile.used_in_frame < oldest_kept; });
}

void SourceTiles::end_frame() {
  std::erase_if(matrices_, [&](const auto& entry) {
    const Matrix& matrix = entry.second;
    if (!matrix.source.expired()) return false;
    release([&](const TileKey& key, const Tile&) { return key.identity == matrix.number; });
    return true;
  });
  keep_to_limit();
  if (missing_.empty() && missing_before_.empty()) return;
  // The newest visible parts come first. Parts that wait for upload are not read again.
  std::stable_sort(missing_.begin(), missing_.end(), [](const Missing& a, const Missing& b) {
    return a.request.patient != b.request.patient ? b.request.patient : a.since > b.since;
  });
  std::vector<TileRequest> requests;
  for (const Missing& each : missing_) {
    const bool waits = std::any_of(arrived_.begin(), arrived_.end(), [&](const LoadedTile& tile) {
      return tile.matrix == each.request.matrix && tile.part == each.request.part;
    });
    if (!waits) requests.push_back(each.request);
  }
  loader_->want(std::move(requests));
}

}  // namespace attnscope::platform
