// Users who open, edit, save, follow lessons, quit and are thrown out at random, in up to three programs at a time that
// share one folder of unsaved work, while other programs change, move and remove their files. Whatever they do, no edit
// is lost without their word, and no file is written that they did not name.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "app/jobs/file_opener.h"
#include "app/session/workspace.h"
#include "io/base/file.h"
#include "io/experiments/experiment_file.h"
#include "io/figures/content_version.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

/// Every edit sets a new seed: a seed identifies one state of one document.
using Seed = std::uint64_t;

Experiment with_seed(Seed seed) {
  Experiment experiment = *default_experiment("scaled-dot-product");
  experiment.seed = seed;
  return experiment;
}

std::shared_ptr<const Lesson> small_lesson() {
  Lesson lesson;
  lesson.title = "lesson";
  for (const Seed seed : {1U, 2U, 3U}) {
    LessonStep step;
    step.experiment = with_seed(seed);
    lesson.steps.push_back(std::move(step));
  }
  return std::make_shared<const Lesson>(std::move(lesson));
}

/// A running program, and what it has flushed of its unsaved work: by document.
struct Program {
  std::unique_ptr<Workspace> workspace;
  std::map<std::uint64_t, Seed> kept;
  /// The version of the document's file that was last read or written here, or that the edits were made to.
  std::map<std::uint64_t, std::string> known;
};

class RandomUsers {
 public:
  explicit RandomUsers(std::uint64_t seed) : random_(seed) {
    fs::create_directory(documents_);
    for (std::size_t i = 0; i < 3; ++i) write_from_outside(name(i));
  }

  void step() {
    ++steps_;
    static constexpr std::array kActions = {
        &RandomUsers::start,     &RandomUsers::start,        &RandomUsers::edit,    &RandomUsers::edit,
        &RandomUsers::edit,      &RandomUsers::edit,         &RandomUsers::history, &RandomUsers::flush,
        &RandomUsers::flush,     &RandomUsers::save,         &RandomUsers::save,    &RandomUsers::save_as,
        &RandomUsers::open,      &RandomUsers::open,         &RandomUsers::lesson,  &RandomUsers::lesson,
        &RandomUsers::quit,      &RandomUsers::kill,         &RandomUsers::kill,    &RandomUsers::be_told_to_end,
        &RandomUsers::meddle,    &RandomUsers::meddle,       &RandomUsers::restore, &RandomUsers::restore,
        &RandomUsers::look_away, &RandomUsers::die_restoring};
    (this->*kActions[below(kActions.size())])();
    check();
  }

 private:
  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }
  bool coin() { return below(2) == 0; }
  [[nodiscard]] fs::path name(std::size_t i) const {
    static const std::array<std::string, 5> names = {"a.json", "b \"quoted\".json", "c\xff\xe9.json", "d.json",
                                                     "e.json"};
    return documents_ / names[i];
  }
  fs::path any_name() { return name(below(5)); }
  Program* any_program() { return programs_.empty() ? nullptr : &programs_[below(programs_.size())]; }
  Seed new_seed() { return ++last_seed_; }

  /// The unsaved states that a program has open.
  static std::map<std::uint64_t, Seed> unsaved(const Program& program) {
    std::map<std::uint64_t, Seed> all;
    const Session& session = program.workspace->session();
    if (session.modified()) all[session.document()] = session.experiment().seed;
    if (const auto under = session.unsaved_under_lesson()) all[under->document] = under->experiment.seed;
    return all;
  }

  static Seed seed_in(const std::string& bytes) {
    const std::size_t at = bytes.find("\"seed\":");
    if (at == std::string::npos) return 0;
    const char* from = bytes.data() + at + 7;
    while (*from == ' ') ++from;
    Seed seed = 0;
    std::from_chars(from, bytes.data() + bytes.size(), seed);
    return seed;
  }

  std::multiset<Seed> left_behind() {
    std::multiset<Seed> seeds;
    for (const UnsavedEntry& entry : observer_.left_behind()) seeds.insert(seed_in(bytes_of(entry.path)));
    return seeds;
  }

  /// What a program that is gone owes its user.
  void end(Program& program) {
    for (const auto& [document, seed] : program.kept) owed_.insert(seed);
    std::erase_if(programs_, [&](const Program& each) { return &each == &program; });
  }
  void forget(Seed seed) {
    if (const auto found = owed_.find(seed); found != owed_.end()) owed_.erase(found);
  }

  void start() {
    if (programs_.size() == 3) return;
    Program program;
    const fs::path path = any_name();
    Result<ExperimentSource> source = coin() ? read_valid_source(path, kDefaultMemoryBudget) : fail("none is named");
    Session session = source ? Session(source->experiment, path.string(), kDefaultMemoryBudget, source->version)
                             : Session(with_seed(1));
    program.workspace = std::make_unique<Workspace>(std::move(session), folder_ / "user", kDefaultMemoryBudget, [] {});
    if (source) program.known[program.workspace->session().document()] = content_version(bytes_of(path));
    programs_.push_back(std::move(program));
  }

  void edit() {
    Program* program = any_program();
    if (program == nullptr) return;
    ASSERT_TRUE(program->workspace->session().apply({SetSeed{new_seed()}, 0}));
  }

  void history() {
    Program* program = any_program();
    if (program == nullptr) return;
    Session& session = program->workspace->session();
    ASSERT_TRUE(coin() ? session.apply({Undo{}, 0}) : session.apply({Redo{}, 0}));
  }

  void flush() {
    Program* program = any_program();
    if (program == nullptr) return;
    program->workspace->keep();
    program->workspace->save_now();
    program->kept = unsaved(*program);
    EXPECT_FALSE(program->workspace->take_trouble());
  }

  /// Saves there unless the user says no to a question, which must be asked where something would be lost.
  bool save_to(Program& program, const fs::path& path) {
    Session& session = program.workspace->session();
    const Result<std::string> question = program.workspace->question_before_saving(path.string());
    EXPECT_TRUE(question) << question.error().message;
    const bool own = session.file() == path.string();
    const auto known = program.known.find(session.document());
    const bool is_as_known = own && files_.contains(path) && known != program.known.end() &&
                             known->second == content_version(files_.at(path));
    EXPECT_EQ(question->empty(), !files_.contains(path) || is_as_known) << path;
    if (!question->empty() && coin()) return false;
    const Result<void> saved = program.workspace->save(path.string());
    EXPECT_TRUE(saved) << saved.error().message;
    files_[path] = experiment_json(session.experiment(), documents_);
    if (session.lesson() == nullptr) program.known[session.document()] = content_version(files_[path]);
    EXPECT_FALSE(session.modified());
    return true;
  }

  void save() {
    Program* program = any_program();
    if (program == nullptr) return;
    const std::string file = program->workspace->session().file();
    save_to(*program, file.empty() ? any_name() : fs::path(file));
  }

  void save_as() {
    if (Program* program = any_program(); program != nullptr) save_to(*program, any_name());
  }

  /// Asks about everything that would be lost, as the window does; whether the user wants to go on.
  bool leaves(Program& program) {
    std::set<Seed> given_up;
    while (!program.workspace->may_leave()) {
      Session& session = program.workspace->session();
      EXPECT_TRUE(session.modified());
      const std::size_t answer = below(3);
      if (answer == 0) return false;
      if (answer == 1) {
        const fs::path path = session.file().empty() ? any_name() : fs::path(session.file());
        if (!save_to(program, path)) return false;
      } else {
        given_up.insert(session.experiment().seed);
        program.workspace->give_up_edits();
      }
    }
    for (const auto& [document, seed] : unsaved(program))
      EXPECT_TRUE(given_up.contains(seed)) << "edit " << seed << " is left without a question";
    return true;
  }

  void open() {
    Program* program = any_program();
    if (program == nullptr) return;
    const fs::path path = any_name();
    Result<ExperimentSource> source = read_valid_source(path, kDefaultMemoryBudget);
    if (!source || !leaves(*program)) return;
    // Leaving may have written the very file.
    source = read_valid_source(path, kDefaultMemoryBudget);
    ASSERT_TRUE(source);
    program->workspace->open(std::move(source->experiment), path.string(), source->version);
    program->known[program->workspace->session().document()] = content_version(bytes_of(path));
    give_up_what_is_not_open(*program);
  }

  void lesson() {
    Program* program = any_program();
    if (program == nullptr) return;
    Session& session = program->workspace->session();
    if (session.lesson() != nullptr && coin()) {
      ASSERT_TRUE(session.apply({GoToStep{below(3)}, 0}));
      return;
    }
    if (!program->workspace->may_leave_lesson()) {
      if (coin()) return;
      program->workspace->give_up_edits();
    }
    ASSERT_TRUE(coin() ? session.apply({OpenLesson{lesson_}, 0}) : session.apply({CloseLesson{}, 0}));
    give_up_what_is_not_open(*program);
  }

  /// The user has said what becomes of documents that are not open any more.
  void give_up_what_is_not_open(Program& program) {
    const std::map<std::uint64_t, Seed> open = unsaved(program);
    std::erase_if(program.kept, [&](const auto& each) { return !open.contains(each.first); });
  }

  void quit() {
    Program* program = any_program();
    if (program == nullptr || !leaves(*program)) return;
    const std::map<std::uint64_t, Seed> kept = program->kept;
    program->workspace->close();
    program->kept.clear();
    end(*program);
    const std::multiset<Seed> left = left_behind();
    for (const auto& [document, seed] : kept)
      EXPECT_TRUE(!left.contains(seed) || owed_.contains(seed)) << "the user said no to it, or it is saved";
  }

  /// Without warning: what was not flushed is lost.
  void kill() {
    Program* program = any_program();
    if (program == nullptr) return;
    // What was saved, or given up, after the last flush may well be offered once more.
    const std::map<std::uint64_t, Seed> open = unsaved(*program);
    std::erase_if(program->kept, [&](const auto& each) { return !open.contains(each.first); });
    end(*program);
  }

  /// With a signal: everything is kept in the last moment.
  void be_told_to_end() {
    Program* program = any_program();
    if (program == nullptr) return;
    program->workspace->keep();
    program->workspace->save_now();
    program->kept = unsaved(*program);
    end(*program);
  }

  void write_from_outside(const fs::path& path) {
    const std::string bytes =
        below(4) == 0 ? "{\"format\": \"attnsc" : experiment_json(with_seed(new_seed()), documents_);
    std::ofstream(path, std::ios::binary) << bytes;
    files_[path] = bytes;
  }

  void meddle() {
    const fs::path path = any_name();
    const std::size_t how = below(4);
    if (how < 2) return write_from_outside(path);
    if (!files_.contains(path)) return;
    if (how == 2) {
      fs::remove(path);
    } else {
      const fs::path to = any_name();
      if (to == path) return;
      fs::rename(path, to);
      files_[to] = files_[path];
    }
    files_.erase(path);
  }

  void restore() {
    Program* program = any_program();
    if (program == nullptr) return;
    const std::vector<UnsavedEntry> entries = program->workspace->left_behind();
    if (entries.empty()) return;
    const UnsavedEntry& entry = entries[below(entries.size())];
    const Seed seed = seed_in(bytes_of(entry.path));
    if (below(5) == 0) {
      ASSERT_TRUE(program->workspace->discard(entry));
      forget(seed);
      return;
    }
    if (!leaves(*program)) return;
    // While the user was asked nobody else has taken it.
    const Result<std::string> restored = program->workspace->restore(entry);
    ASSERT_TRUE(restored) << restored.error().message;
    Session& session = program->workspace->session();
    EXPECT_EQ(session.experiment().seed, seed);
    EXPECT_TRUE(session.modified());
    if (!session.file().empty() && fs::exists(session.file())) {
      // It may be saved without a question only where nothing newer is there.
      EXPECT_EQ(entry.file, session.file());
      EXPECT_EQ(entry.version, content_version(files_[session.file()]));
    }
    program->known[session.document()] = entry.version;
    forget(seed);
    give_up_what_is_not_open(*program);
    program->kept[session.document()] = seed;
    if (coin()) program->workspace->shown();
  }

  /// It freezes before there is a picture, and is killed.
  void die_restoring() {
    restore();
    kill();
  }

  /// A while in which nothing happens.
  void look_away() {
    for (Program& program : programs_) program.workspace->keep();
    for (Program& program : programs_) {
      program.workspace->save_now();
      program.kept = unsaved(program);
    }
  }

  void check() {
    const std::multiset<Seed> left = left_behind();
    for (const Seed seed : owed_) {
      ASSERT_GE(left.count(seed), owed_.count(seed)) << "edit " << seed << " is lost at step " << steps_;
    }
    std::set<fs::path> there;
    for (const auto& entry : fs::directory_iterator(documents_)) there.insert(entry.path());
    ASSERT_EQ(there.size(), files_.size()) << "at step " << steps_;
    for (const auto& [path, bytes] : files_) ASSERT_EQ(bytes_of(path), bytes) << path << " at step " << steps_;
    ASSERT_FALSE(testing::Test::HasFailure()) << "at step " << steps_;
  }

  TemporaryFolder folder_;
  fs::path documents_ = folder_ / "documents";
  std::mt19937_64 random_;
  std::vector<Program> programs_;
  std::map<fs::path, std::string> files_;  ///< what has to be in them
  std::multiset<Seed> owed_;               ///< unsaved work of programs that are gone
  UnsavedFolder observer_{folder_ / "user"};
  std::shared_ptr<const Lesson> lesson_ = small_lesson();
  Seed last_seed_ = 100;
  int steps_ = 0;
};

/// ATTNSCOPE_WORKSPACE_STEPS sets another number of steps, ATTNSCOPE_WORKSPACE_SEED other ways.
TEST(RandomUsers, LoseNothingWithoutTheirWord) {
  const char* const steps = std::getenv("ATTNSCOPE_WORKSPACE_STEPS");
  const char* const seed = std::getenv("ATTNSCOPE_WORKSPACE_SEED");
  const int count = steps != nullptr ? std::atoi(steps) : kSanitized ? 2'000 : 10'000;
  RandomUsers users(seed != nullptr ? std::strtoull(seed, nullptr, 10) : 20'261'123);
  for (int i = 0; i < count && !HasFatalFailure(); ++i) users.step();
}

}  // namespace
}  // namespace attnscope::test
