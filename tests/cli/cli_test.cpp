// The command line from outside: what it prints, what it leaves behind, and its exit codes.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "refusal.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST(Cli, HelpAndVersion) {
  for (const Arguments& arguments : {Arguments{"--help"},
                                     {"-h"},
                                     {"trace", "--help"},
                                     {"explain", "-h"},
                                     {"script", "--help"},
                                     {"systems", "--help"}}) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.out.find("Usage: attnscope"), std::string::npos);
    EXPECT_EQ(outcome.err, "");
  }
  const std::string help = run_program({"--help"}).out;
  for (const char* word : {"trace", "explain", "script", "systems", "ATTNSCOPE_MEMORY_MB", "Exit codes"})
    EXPECT_NE(help.find(word), std::string::npos) << word;
  EXPECT_NE(help.find("\n  ATTNSCOPE_DATA        folder of"), std::string::npos) << "tables stay tables";
  const std::string expected =
      "Measure the limits of this machine, and how close attnscope comes to them\n"
      "Usage: attnscope bench [OPTIONS]\n"
      "\n"
      "Options:\n"
      "  -h,--help                   Print this help and exit\n"
      "  --json                      Print JSON\n"
      "  --threads N                 Number of threads (default: all processors)\n"
      "  --seconds S=0.5             Time to";
  EXPECT_EQ(run_program({"bench", "--help"}).out.substr(0, expected.size()), expected);
  const Outcome version = run_program({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.out.starts_with("attnscope ")) << version.out;
  EXPECT_EQ(std::count(version.out.begin(), version.out.end(), '\n'), 1);
}

TEST(Cli, WrongCommands) {
  expect_refused({"systms"}, 2, {"\"systms\" is not a command, a file or a system", "did you mean systems?"});
  expect_refused({"figure", "worked-example", "--head", "2", "-o", "x.svg"}, 2, {"did you mean --option head=…?"});
  expect_refused({"trace", "worked-example", "--tokens_", "2", "-o", "x.npz"}, 2, {"did you mean --tokens"});
  expect_refused({"figure", "worked-example", "--mask", "causal", "-o", "x.svg"}, 2, {"did you mean --set mask=…?"});
  expect_refused({"script", "worked-example", "--set", "mask=casual"}, 2,
                 {"mask: \"casual\" is unknown (did you mean causal?); allowed: none"});
  expect_refused({"tokens", "worked-example", "--text", "hi"}, 1, {"worked-example is a system, and reads no text"});
  expect_refused({"--helpp"}, 2, {"option \"--helpp\" is unknown", "did you mean --help?"});
  expect_refused({"trace"}, 2, {"EXPERIMENT is required"});
  expect_refused({"trace", "worked-example"}, 2, {"output is required"});
  expect_refused({"trace", "worked-example", "--sett", "heads=2", "-o", "x.npz"}, 2,
                 {"option \"--sett\" is unknown to trace; did you mean --set or --text?"});
  expect_refused({"trace", "worked-example", "--sett=heads=2"}, 2, {"option \"--sett\" is unknown to trace"});
  expect_refused({"trace", "worked-example", "more", "-o", "x.npz"}, 2, {"\"more\": unexpected argument"});
  expect_refused({"trace", "worked-example", "-o"}, 2, {"trace: "});
  expect_refused({"trace", "worked-exampel", "-o", "x.npz"}, 2, {"did you mean worked-example?"});
  expect_refused({"trace", "worked-example", "-o", "x.txt"}, 2, {"allowed: .safetensors, .npz or .json"});
  expect_refused({"script"}, 2, {"EXPERIMENT is required"});
  expect_refused({"script", "worked-exampel"}, 2, {"did you mean worked-example?"});
  expect_refused({"script", "worked-example", "--json"}, 2, {"option \"--json\" is unknown to script"});
  expect_refused({"script", "worked-example", "-o"}, 2, {"script: "});
  expect_refused({"systems", "worked"}, 2, {"did you mean worked-example?"});
  expect_refused({"explain", "worked-example", "scors[0,0,0]"}, 2, {"tensor \"scors\"", "did you mean scores"});
  expect_refused({"explain", "worked-example", "scores"}, 2, {"write TENSOR[i,j,…]"});
  expect_refused({"explain", "worked-example", "scores[0,0]"}, 2, {"head < 4, query < 6, key < 6"});
  for (const char* index :
       {"[0,0,6]", "[-1,0,0]", "[99999999999999999999,0,0]", "[0,0,x]", "[]", "[0,0,0,0]", "[0,,0]"}) {
    expect_refused({"explain", "worked-example", std::string("scores") + index}, 2, {});
  }
}

TEST(Cli, WrongSettings) {
  for (const char* value : {"abc", "0", "-1", "99999999999999999999", "2147483648", "2.5", "", "nan"}) {
    expect_refused({"trace", "worked-example", "--set", std::string("heads=") + value, "-o", "x.npz"}, 2,
                   {"heads", "allowed: whole numbers from 1 to 2147483647"});
  }
  expect_refused({"trace", "worked-example", "--set", "hed_dim=1", "-o", "x.npz"}, 2, {"did you mean head_dim?"});
  expect_refused({"trace", "worked-example", "--set", "heads", "-o", "x.npz"}, 2, {"write NAME=VALUE"});
  expect_refused({"explain", "worked-example", "--set", "mask=padding:9", "x[0,0]"}, 2,
                 {"--set mask: padding length 9 exceeds the 6 keys"});
  expect_refused({"explain", "worked-example", "--set", "tokens=1000000000", "x[0,0]"}, 1,
                 {" MB; allowed: 2,000 MB", "ATTNSCOPE_MEMORY_MB"});
}

TEST(Cli, WrongFiles) {
  const TemporaryFolder folder;
  const auto refuse = [](const fs::path& path, const std::vector<std::string>& fragments) {
    expect_refused({"explain", path.string(), "x[0,0]"}, 1, fragments);
  };
  const auto experiment = [](const std::string& rest) {
    return R"({"format": "attnscope-experiment/1", "system": "worked-example")" + rest + "}";
  };
  ASSERT_EQ(shell("mkfifo " + (folder / "pipe").string()), 0);
  refuse(folder / "none.json", {"none.json: No such file or directory"});
  refuse(folder.path(), {"no config.json"});
  refuse(folder / "pipe", {"is a pipe"});
  refuse("/dev/zero", {"is a device"});
  refuse(folder.file("heads.json", experiment(R"(, "params": {"heads": 0})")),
         {"heads.json: params.heads: 0 is not allowed"});
  refuse(folder.file("mask.json", experiment(R"(, "params": {"mask": "padding:9"})")),
         {"mask.json: mask: padding length 9"});
  refuse(folder.file("large.json", experiment(R"(, "params": {"tokens": 1000000000})")),
         {"large.json: the experiment takes ", " MB; allowed: 2,000 MB"});
  refuse(folder.file("half.json", "{\"format\":"), {"half.json: line 1, column 10: "});
  refuse(folder.file("lfs.json", "version https://git-lfs.github.com/spec/v1\n"), {"Git-LFS"});
  refuse(folder.file("a\n\x1b[31m\xff.json", "{"), {"a\\x0a\\x1b[31m\\xff.json\": line 1"});
  refuse(folder.file("keys.json", experiment(", \"\\u001b[31m\\n\": 1")), {"the key \"\\x1b[31m\\x0a\" is unknown"});
}

TEST(Cli, MemoryBudgetComesFromTheEnvironment) {
  const Arguments small = {"explain", "worked-example", "--set", "tokens=500", "x[0,0]"};
  expect_refused(small, 1, {"allowed: 1 MB"}, {{{"ATTNSCOPE_MEMORY_MB", "1"}}, ""});
  EXPECT_EQ(run_program(small, {{{"ATTNSCOPE_MEMORY_MB", "1000"}}, ""}).code, 0);
  for (const char* wrong : {"0", "-1", "much", "1.5", "99999999999999999999"}) {
    expect_refused(small, 2, {"ATTNSCOPE_MEMORY_MB: ", "allowed: whole numbers from 1 to 1000000000"},
                   {{{"ATTNSCOPE_MEMORY_MB", wrong}}, ""});
  }
}

TEST(Cli, TraceWritesFilesAndIsSilent) {
  const TemporaryFolder folder;
  for (const char* name : {"t.safetensors", "t.npz", "t.json", "strange \"\n\xff.json"}) {
    const std::string path = (folder / name).string();
    const Outcome outcome = run_program({"trace", "worked-example", "--set", "heads=2", "--set", "seed=7", "-o", path});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out + outcome.err, "");
    const std::string first = bytes_of(path);
    EXPECT_EQ(run_program({"trace", "worked-example", "--set=heads=2", "--set=seed=7", "--output", path}).code, 0);
    EXPECT_EQ(bytes_of(path), first);
  }
  const json trace = json::parse(bytes_of(folder / "t.json"));
  EXPECT_EQ(trace["experiment"]["seed"], 7);
  EXPECT_EQ(trace["tensors"]["q"]["shape"], json::parse("[2, 6, 7]"));
  EXPECT_EQ(folder.size(), 4);

  expect_refused({"trace", "worked-example", "-o", (folder / "none/t.npz").string()}, 1, {"No such file or directory"});
  fs::create_directory(folder / "folder.npz");
  expect_refused({"trace", "worked-example", "-o", (folder / "folder.npz").string()}, 1, {"is a folder"});
}

TEST(Cli, TraceWritesOnlyWhatIsAskedFor) {
  const TemporaryFolder folder;
  const std::string path = (folder / "t.json").string();
  const Outcome outcome =
      run_program({"trace", "worked-example", "--only", "weights[1,2:4]", "--only", "out", "-o", path});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json part = json::parse(bytes_of(path))["tensors"];
  EXPECT_EQ(run_program({"trace", "worked-example", "-o", path}).code, 0);
  const json whole = json::parse(bytes_of(path))["tensors"];
  EXPECT_EQ(part["out"], whole["out"]);
  EXPECT_EQ(part["scores"]["omitted"], true);
  EXPECT_EQ(part["weights"]["shape"], json::parse("[1, 2, 6]"));
  EXPECT_EQ(part["weights"]["slice"], "1:2,2:4,0:6");
  EXPECT_EQ(part["weights"]["values"][0][1], whole["weights"]["values"][1][3]);

  // Far more than fits into memory: only the requested cell is computed.
  const std::vector<std::string> large = {"trace", "worked-example", "--set", "tokens=40000",
                                          "--set", "heads=2",        "--only"};
  std::vector<std::string> arguments = large;
  arguments.insert(arguments.end(), {"weights[1,39999,39990:]", "-o", path});
  EXPECT_EQ(run_program(arguments).code, 0);
  EXPECT_EQ(json::parse(bytes_of(path))["tensors"]["weights"]["shape"], json::parse("[1, 1, 10]"));
  arguments = large;
  arguments.insert(arguments.end(), {"weights", "-o", path});
  expect_refused(arguments, 1, {"--only asks for ", "allowed: "});
  expect_refused({"trace", "worked-example", "--only", "weights[9]", "-o", path}, 2, {"--only ", "head 0:4"});
  expect_refused({"trace", "worked-example", "--only", "q", "--only", "q[1]", "-o", path}, 2, {"one part"});
}

TEST(Cli, WarningsAreSaidAndDone) {
  const Outcome outcome = run_program({"explain", "worked-example", "--set", "mask=padding:0", "weights[0,0,0]"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.err.starts_with("attnscope: warning: ")) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("weights[0, 0, 0] = 0.166667\n")) << outcome.out;
}

TEST(Cli, ExplainShowsTheArithmetic) {
  const Outcome outcome = run_program({"explain", "worked-example", "scores[1,2,4]"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.starts_with("scores[1, 2, 4] = 27.5040\nΣ_dim q[1, 2, dim] · k[1, 4, dim]\n\n"))
      << outcome.out;
  EXPECT_NE(outcome.out.find("q[1, 2, 0] × k[1, 4, 0]   1.249 × 1.906"), std::string::npos) << outcome.out;

  const Arguments large = {"explain", "worked-example", "--set", "features=300", "q[0,0,0]"};
  const std::string elided = run_program(large).out;
  EXPECT_NE(elided.find("284 more, sum"), std::string::npos) << elided;
  EXPECT_LT(std::count(elided.begin(), elided.end(), '\n'), 30);
  Arguments full = large;
  full.emplace_back("--full");
  const std::string whole = run_program(full).out;
  EXPECT_GT(std::count(whole.begin(), whole.end(), '\n'), 300);
}

TEST(Cli, ExplainJsonAddsUp) {
  const Outcome outcome =
      run_program({"explain", "worked-example", "--json", "--set", "scale=sqrt_head_dim", "scores[1, 2, 4]"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json explained = json::parse(outcome.out);
  EXPECT_EQ(explained["tensor"], "scores");
  EXPECT_EQ(explained["index"], json::parse("[1, 2, 4]"));
  EXPECT_EQ(explained["operation"], "contract");
  EXPECT_EQ(explained["formula"], "Σ_dim q[1, 2, dim] · k[1, 4, dim] / √7");
  double sum = 0;
  ASSERT_EQ(explained["operands"].size(), 14U);
  for (std::size_t i = 0; i < 14; i += 2) {
    const json& a = explained["operands"][i];
    EXPECT_EQ(a["tensor"], "q");
    EXPECT_EQ(a["index"], json::array({1, 2, i / 2}));
    sum += a["value"].get<double>() * explained["operands"][i + 1]["value"].get<double>();
  }
  EXPECT_NEAR(sum / std::sqrt(7.0), explained["value"].get<double>(), 1e-5);
}

TEST(Cli, ScriptsArePrintedOrWritten) {
  const TemporaryFolder folder;
  const Arguments arguments = {"script", "stacked-multihead",
                               "--set",  "seed=18446744073709551615",
                               "--set",  "mask=[[true, false], [true, true]]",
                               "--set",  "tokens=2"};
  const Outcome printed = run_program(arguments);
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_EQ(printed.err, "");
  for (const char* fragment :
       {"torch.manual_seed(18446744073709551615)", "\n10\n11\n", "tokens = 2\n", "\"out\": out,\n"})
    EXPECT_NE(printed.out.find(fragment), std::string::npos) << fragment << " is not in\n" << printed.out;

  const auto written_to = [&](const fs::path& path) {
    Arguments writing = arguments;
    writing.insert(writing.end(), {"-o", path.string()});
    return writing;
  };
  const Outcome written = run_program(written_to(folder / "script.py"));
  EXPECT_EQ(written.code, 0);
  EXPECT_EQ(written.out + written.err, "");
  EXPECT_EQ(bytes_of(folder / "script.py"), printed.out);
  EXPECT_EQ(folder.size(), 1);
  expect_refused(written_to(folder / "none/script.py"), 1, {"none/script.py: No such file or directory"});
  expect_refused(written_to(folder.path()), 1, {"is a folder"});
  expect_refused({"script", (folder / "none.json").string()}, 1, {"none.json: No such file or directory"});
  expect_refused({"script", "worked-example", "--set", "tokens=1000000000"}, 1, {" MB; allowed: 2,000 MB"});
  // Checks the syntax if Python is installed. Comparing the numbers would need PyTorch.
  if (shell("python3 --version >/dev/null") == 0) {
    EXPECT_EQ(
        shell("python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' " + (folder / "script.py").string()),
        0);
  }
}

TEST(Cli, SystemsCanBeReadByPeopleAndPrograms) {
  EXPECT_NE(run_program({"systems"}).out.find("worked-example"), std::string::npos);
  const std::string text = run_program({"systems", "worked-example"}).out;
  for (const char* word : {"head_dim", "whole numbers from 1", "seed", "discard", "scores", "[head 4, query 6, key 6]"})
    EXPECT_NE(text.find(word), std::string::npos) << word;

  const json all = json::parse(run_program({"systems", "--json"}).out);
  for (const json& system : all) {
    const json one = json::parse(run_program({"systems", system["name"].get<std::string>(), "--json"}).out);
    EXPECT_EQ(one, system);
    for (const char* key : {"title", "summary", "source", "labels"}) EXPECT_TRUE(system.contains(key)) << key;
    for (const json& parameter : system["parameters"]) {
      for (const char* key : {"name", "label", "kind", "default", "help", "allowed"})
        EXPECT_TRUE(parameter.contains(key)) << parameter << key;
      if (parameter["kind"] == "integer" || parameter["kind"] == "real") {
        EXPECT_LE(parameter["minimum"], parameter["slider_minimum"]);
        EXPECT_LE(parameter["slider_minimum"], parameter["slider_maximum"]);
        EXPECT_LE(parameter["slider_maximum"], parameter["maximum"]);
      }
      EXPECT_EQ(parameter["kind"] == "choice", parameter.contains("choices")) << parameter;
    }
    for (const json& tensor : system["tensors"])
      EXPECT_TRUE(tensor.contains("axes") && tensor.contains("formula")) << tensor;
  }
  EXPECT_EQ(all[0]["parameters"][0]["default"], 6);
}

TEST(Cli, OutputThatCannotBeWritten) {
  const Outcome full = run_program({"systems"}, {{}, "/dev/full"});
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.err, "attnscope: standard output: No space left on device\n");
  const Outcome closed = run_program({"systems"}, {{}, "-"});
  EXPECT_EQ(closed.code, 1);
  EXPECT_EQ(closed.err, "attnscope: standard output: Bad file descriptor\n");
  EXPECT_EQ(shell("bash -c 'set -o pipefail; " ATTNSCOPE_PROGRAM " systems --json | head -c 1 >/dev/null'"), 0);
  // No file may get the number of a closed stream.
  const TemporaryFolder folder;
  EXPECT_EQ(run_program({"trace", "worked-example", "-o", (folder / "t.json").string()}, {{}, "-"}).code, 0);
  EXPECT_TRUE(json::accept(bytes_of(folder / "t.json")));
  EXPECT_EQ(shell(ATTNSCOPE_PROGRAM " trace none -o x.npz 2>&-"), 2);
}

TEST(Cli, SurroundingsDoNotMatter) {
  const Arguments arguments = {"explain", "worked-example", "--json", "--set", "temperature=0.5", "weights[0,1,2]"};
  const Outcome bare = run_program(arguments);
  EXPECT_EQ(bare.code, 0) << bare.err;
  EXPECT_EQ(run_program(arguments, {{{"DISPLAY", ":99"}, {"HOME", "/nowhere"}, {"XDG_CONFIG_HOME", "/proc"}}, ""}).out,
            bare.out);
  const TemporaryFolder folder;
  if (shell("localedef -i de_DE -f UTF-8 " + (folder / "de_DE.UTF-8").string() + " 2>/dev/null") != 0)
    GTEST_SKIP() << "no locale to be had";
  EXPECT_EQ(run_program(arguments, {{{"LC_ALL", "de_DE.UTF-8"}, {"LOCPATH", folder.path().string()}}, ""}).out,
            bare.out);
}

}  // namespace
}  // namespace attnscope::test
