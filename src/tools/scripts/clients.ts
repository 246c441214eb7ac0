/** What scripts call tools with. Each file lies in the folder of its run, beside `connection.json`. */

/** The arguments that may stand without a name, of tools that scripts can call. */
const POSITIONS: Readonly<Record<string, readonly string[]>> = {
  read_file: ["path"],
  search_files: ["pattern", "path"],
  write_file: ["path", "content"],
  patch: ["path", "old_string", "new_string"],
  terminal: ["command"],
  web_search: ["query"],
  web_extract: ["urls"],
};

/** For Python 3.8 and later, with nothing but its own library. */
export const PYTHON_CLIENT: string = `import json
import os
import socket

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "connection.json"), encoding="utf-8") as file:
    _WHERE = json.load(file)

__all__ = ["ToolError", "call_tool"]


class ToolError(Exception):
    """The call failed; the message is what the tool says."""


def call_tool(tool, **arguments):
    line = json.dumps({"secret": _WHERE["secret"], "tool": tool, "input": arguments}) + "\\n"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(_WHERE["socket"])
            connection.sendall(line.encode("utf-8"))
            with connection.makefile("r", encoding="utf-8", newline="\\n") as answers:
                answer = answers.readline()
    except OSError as error:
        raise ToolError("the tools cannot be reached: %s" % error) from None
    if not answer.endswith("\\n"):
        raise ToolError("the tools did not answer")
    told = json.loads(answer)
    if not told["ok"]:
        raise ToolError(told["text"])
    return told["text"]


def _named(tool, names):
    def function(*values, **arguments):
        if len(values) > len(names):
            raise TypeError("%s takes %d values without a name at most" % (tool, len(names)))
        arguments.update(zip(names, values))
        return call_tool(tool, **arguments)

    function.__name__ = function.__qualname__ = tool
    return function


for _tool, _names in json.loads('${JSON.stringify(POSITIONS)}').items():
    globals()[_tool] = _named(_tool, _names)
    __all__.append(_tool)
`;

/** Runs the script as the main module, with the tools in it; what lies in the working folder can be imported, behind all else. */
export const PYTHON_START = `import os
import sys
import traceback

from evander_tools import *

__file__ = os.path.join(os.path.dirname(os.path.abspath(__file__)), "script.py")
sys.path.append(os.getcwd())
sys.argv = [__file__]
try:
    with open(__file__, encoding="utf-8") as _file:
        _code = compile(_file.read(), __file__, "exec")
    exec(_code, globals())
except Exception as _error:
    _trace = _error.__traceback__.tb_next
    traceback.print_exception(type(_error), _error, _trace)
    sys.stdout.flush()
    sys.exit(1)
`;

export const JAVASCRIPT_CLIENT: string = `import { readFileSync } from "node:fs";
import { connect } from "node:net";

const where = JSON.parse(readFileSync(new URL("./connection.json", import.meta.url), "utf8"));

/** The call failed; the message is what the tool says. */
export class ToolError extends Error {
  name = "ToolError";
}

export function call_tool(tool, input = {}) {
  const line = JSON.stringify({ secret: where.secret, tool, input }) + "\\n";
  return new Promise((resolve, reject) => {
    let answer = "";
    const fail = (text) => reject(new ToolError(text));
    const connection = connect(where.socket, () => connection.write(line));
    connection.setEncoding("utf8");
    connection.on("data", (text) => (answer += text));
    connection.on("error", (error) => fail("the tools cannot be reached: " + error.message));
    connection.on("close", () => {
      if (!answer.endsWith("\\n")) return fail("the tools did not answer");
      const told = JSON.parse(answer);
      return told.ok ? resolve(told.text) : fail(told.text);
    });
  });
}

const named = (tool, names) => (...values) => {
  const last = values.at(-1);
  const more = typeof last === "object" && last !== null && !Array.isArray(last) ? values.pop() : {};
  return call_tool(tool, { ...Object.fromEntries(values.map((value, at) => [names[at], value])), ...more });
};

export const tools = Object.fromEntries(
  Object.entries(${JSON.stringify(POSITIONS)}).map(([tool, names]) => [tool, named(tool, names)]),
);
`;

/** Runs the script as a module, with the tools in it; packages of the working folder can be required. */
export const JAVASCRIPT_START = `import { createRequire } from "node:module";
import { join } from "node:path";
import { call_tool, ToolError, tools } from "./evander_tools.mjs";

Object.assign(globalThis, tools, { call_tool, ToolError, require: createRequire(join(process.cwd(), "script.js")) });
await import("./script.mjs");
`;
