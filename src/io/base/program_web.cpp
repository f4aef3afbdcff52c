// Other programs, of which a browser has none.
#include "io/base/program.h"

namespace attnscope {

Result<ProgramEnd> run_to_end(const ProgramCall& /*call*/, const StopToken& /*stop*/) { return ProgramEnd::missing; }

Result<ProgramOutput> run_and_read(const ProgramCall& /*call*/, const StopToken& /*stop*/) {
  return ProgramOutput{ProgramEnd::missing};
}

bool has_program(const std::string& /*name*/) { return false; }

}  // namespace attnscope
