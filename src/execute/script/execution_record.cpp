// SPDX-License-Identifier: BSD-3-Clause
#include "execute/script/execution_record.hpp"

namespace quadrille {

ExecutionRecord::ExecutionRecord(const Script& script)
    : posted_(script.messages.size()),
      completed_(script.messages.size()),
      copies_before_(script.windows.size() + script.tasks.size()),
      copies_after_(script.windows.size()),
      waits_(script.windows.size() + script.messages.size() + 1) {}

}  // namespace quadrille
