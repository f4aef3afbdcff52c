// Programs that are killed while they save: afterwards the file is one of the documents that they saved.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <new>
#include <random>
#include <stdexcept>
#include <thread>

#include "io/base/file.h"
#include "io/desktop/unsaved_folder.h"
#include "io/desktop/user_state.h"
#include "io/experiments/experiment_file.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Micros = std::chrono::microseconds;

/// How many times to kill: ATTNSCOPE_KILLS sets another number than the usual ones.
int kills(int usual, int sanitized) {
  const char* const wanted = std::getenv("ATTNSCOPE_KILLS");
  return wanted != nullptr ? std::max(sanitized, std::atoi(wanted)) : kSanitized ? sanitized : usual;
}

/// The worked example with token labels: about forty bytes of the document each.
Experiment labelled_experiment(std::size_t labels) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.seed = labels;
  for (std::size_t i = 0; i < labels; ++i)
    experiment.labels.push_back("the label of token number " + std::to_string(i));
  return experiment;
}

/// Saves again and again until it is killed.
class KilledWriter {
 public:
  using Save = std::function<void(int)>;

  /// `save` gets the number of the save.
  explicit KilledWriter(Save save) : save_(std::move(save)) {
    // The time of three saves spreads the moments of death over all of one.
    std::array<Micros, 5> times{};
    for (Micros& time : times) {
      const auto start = Clock::now();
      save_(number_++);
      time = std::chrono::duration_cast<Micros>(Clock::now() - start);
    }
    std::sort(times.begin(), times.end());
    longest_ = 3 * times[times.size() / 2];
    void* const shared = ::mmap(nullptr, sizeof *saving_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw std::runtime_error("no shared memory");
    saving_ = new (shared) std::atomic<bool>(false);
  }
  ~KilledWriter() { ::munmap(saving_, sizeof *saving_); }
  KilledWriter(const KilledWriter&) = delete;
  KilledWriter& operator=(const KilledWriter&) = delete;

  /// Whether the last process was killed in the middle of a save.
  [[nodiscard]] bool was_saving() const { return *saving_; }

  /// Starts a process that saves once, and kills it while it goes on saving.
  void run() {
    ASSERT_NO_FATAL_FAILURE(start());
    kill();
  }

  /// Starts a process that saves again and again, and waits until it has saved once.
  void start() {
    ASSERT_EQ(::pipe(ends_.data()), 0);
    *saving_ = false;
    child_ = ::fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      for (int number = number_;; ++number) {
        *saving_ = true;
        save_(number);
        *saving_ = false;
        if (number == number_ && ::write(ends_[1], "", 1) != 1) ::_exit(1);
      }
    }
    number_ = 1 - number_ % 2;  // the first document is not always the same one
    char ready = 1;
    ASSERT_EQ(::read(ends_[0], &ready, 1), 1) << "it did not save once";
  }

  /// Kills it while it saves.
  void kill() {
    const auto life = std::uniform_int_distribution<Micros::rep>(0, longest_.count())(generator_);
    std::this_thread::sleep_for(Micros(life));
    ::kill(child_, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child_, &status, 0), child_);
    for (const int end : ends_) ::close(end);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it ended before it was killed";
  }

 private:
  Save save_;
  std::atomic<bool>* saving_ = nullptr;  ///< shared with the process that saves
  int number_ = 0;
  Micros longest_{};
  ::pid_t child_ = -1;
  std::array<int, 2> ends_{};
  std::mt19937 generator_{20'240'917};
};

/// The files that killed saves left in `folder`, besides the saved file.
std::vector<fs::path> leftovers(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".tmp") found.push_back(entry.path());
  }
  return found;
}

/// Ages the files by two hours: the next save may then remove them.
void make_old(const std::vector<fs::path>& files) {
  for (const fs::path& file : files)
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(2));
}

TEST(KilledSaves, LeaveOneOfTheTwoDocuments) {
  const int count = kills(500, 100);
  const std::array<Experiment, 2> experiments = {labelled_experiment(1'500), labelled_experiment(40'000)};
  const std::array<std::string, 2> documents = {experiment_json(experiments[0]), experiment_json(experiments[1])};
  for (std::size_t i = 0; i < 2; ++i) {
    const Result<Experiment> read = parse_experiment(documents[i], "document");
    ASSERT_TRUE(read && *read == experiments[i]) << i;
  }
  ASSERT_GT(documents[0].size(), 10 * 4096U);       // pages of memory and of the disk
  ASSERT_GT(documents[1].size(), 4 * (1U << 18U));  // pieces that are handed to the system

  const TemporaryFolder folder;
  const fs::path path = folder / "experiment.json";
  KilledWriter writer([&](int number) { (void)write_file(path, documents[static_cast<std::size_t>(number % 2)]); });
  std::array<int, 2> found{};
  int in_the_middle = 0;
  for (int kill = 0; kill < count; ++kill) {
    ASSERT_NO_FATAL_FAILURE(writer.run());
    const Result<std::string> read = read_file(path, kMaxExperimentBytes);
    ASSERT_TRUE(read) << read.error().message << " after kill " << kill;
    const auto document = std::find(documents.begin(), documents.end(), *read);
    ASSERT_NE(document, documents.end()) << "after kill " << kill << " there are " << read->size() << " bytes";
    ++found[static_cast<std::size_t>(document - documents.begin())];

    // At most what the last one left: the first save removes everything older.
    const std::vector<fs::path> left = leftovers(folder.path());
    ASSERT_LE(left.size(), 1U) << "after kill " << kill;
    in_the_middle += writer.was_saving() ? 1 : 0;
    make_old(left);
  }
  RecordProperty("in_the_middle", in_the_middle);
  RecordProperty("first_document", found[0]);
  // The kills hit saves.
  EXPECT_GT(in_the_middle, count / 5);
  EXPECT_GT(std::min(found[0], found[1]), count / 20);

  ASSERT_TRUE(write_file(path, documents[0]));
  EXPECT_EQ(folder.size(), 1) << "nothing is left of all that";
}

TEST(KilledSaves, OfTwoProgramsLeaveADocumentOfOne) {
  const int count = kills(100, 40);
  const std::array<std::string, 3> documents = {experiment_json(labelled_experiment(1'500)),
                                                experiment_json(labelled_experiment(20'000)),
                                                experiment_json(labelled_experiment(30'000))};
  const TemporaryFolder folder;
  const fs::path path = folder / "experiment.json";
  const auto saving = [&](std::size_t which) {
    return [&, which](int number) { (void)write_file(path, documents[number % 2 == 0 ? 0 : which]); };
  };
  std::array<KilledWriter, 2> writers = {KilledWriter(saving(1)), KilledWriter(saving(2))};
  std::array<int, 3> found{};
  for (int kill = 0; kill < count; kill += 2) {
    for (KilledWriter& writer : writers) ASSERT_NO_FATAL_FAILURE(writer.start());
    for (const int which : {kill / 2 % 2, 1 - kill / 2 % 2})
      ASSERT_NO_FATAL_FAILURE(writers[static_cast<std::size_t>(which)].kill());
    const Result<std::string> read = read_file(path, kMaxExperimentBytes);
    ASSERT_TRUE(read) << read.error().message << " after kill " << kill;
    const auto document = std::find(documents.begin(), documents.end(), *read);
    ASSERT_NE(document, documents.end()) << "after kill " << kill << " there are " << read->size() << " bytes";
    ++found[static_cast<std::size_t>(document - documents.begin())];
    make_old(leftovers(folder.path()));
  }
  EXPECT_GT(*std::min_element(found.begin(), found.end()), count / 100);

  ASSERT_TRUE(write_file(path, documents[0]));
  EXPECT_EQ(folder.size(), 1) << "nothing is left of all that";
}

TEST(KilledSaves, LeaveWhatWasNotSavedToBeRestored) {
  const int count = kills(125, 25);
  const std::array<Experiment, 2> experiments = {labelled_experiment(100), labelled_experiment(3'000)};
  const TemporaryFolder folder;
  std::optional<UnsavedFolder> unsaved;
  KilledWriter writer([&](int number) {
    // Each process counts as a separate program.
    if (!unsaved) unsaved.emplace(folder.path());
    (void)unsaved->keep(0, {experiments[static_cast<std::size_t>(number % 2)], "/tmp/experiment.json", "", "x"});
  });
  unsaved->remove(0);
  unsaved.reset();
  for (int kill = 0; kill < count; ++kill) {
    ASSERT_NO_FATAL_FAILURE(writer.run());
    make_old(leftovers(folder.path()));
    UnsavedFolder next(folder.path());
    std::vector<UnsavedEntry> left = next.left_behind();
    ASSERT_EQ(left.size(), 1U) << "after kill " << kill;
    const Result<UnsavedWork> work = next.take(left.front());
    ASSERT_TRUE(work) << work.error().message;
    ASSERT_NE(std::find(experiments.begin(), experiments.end(), work->experiment), experiments.end());
    ASSERT_EQ(work->file, "/tmp/experiment.json");
    next.restored(left.front(), 7);
    next.remove(7);
    ASSERT_TRUE(next.left_behind().empty()) << "after kill " << kill;
  }
}

TEST(KilledSaves, LeaveAStateThatCanBeRead) {
  const int count = kills(125, 25);
  std::array<UserState, 2> states;
  states[0].theme = Theme::light;
  for (int i = 0; i < 10; ++i) states[1].add_recent("/tmp/" + std::string(2'000, 'x') + std::to_string(i));
  const TemporaryFolder folder;
  KilledWriter writer(
      [&](int number) { (void)write_user_state(folder.path(), states[static_cast<std::size_t>(number % 2)]); });
  for (int kill = 0; kill < count; ++kill) {
    ASSERT_NO_FATAL_FAILURE(writer.run());
    make_old(leftovers(folder.path()));
    const ReadUserState read = read_user_state(folder.path());
    ASSERT_EQ(read.notice, "") << "after kill " << kill;
    ASSERT_NE(std::find(states.begin(), states.end(), read.state), states.end());
  }
}

}  // namespace
}  // namespace attnscope::test
