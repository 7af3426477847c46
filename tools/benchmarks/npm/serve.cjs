// Reads one JSON request a line ({"text", "number"}), answers one a line: seconds for one call, and the value or the error.
// The clock runs here, around the repair and the parse only, so that the pipe does not count.
const { createRequire } = require("node:module");
const { createInterface } = require("node:readline");
const { jsonrepair } = createRequire(process.argv[2] + "/")("jsonrepair");

function answer({ text, number }) {
  let value;
  const start = process.hrtime.bigint();
  try {
    for (let turn = 0; turn < number; turn += 1) value = JSON.parse(jsonrepair(text));
  } catch (error) {
    return { seconds: Number(process.hrtime.bigint() - start) / 1e9, error: String(error) };
  }
  return { seconds: Number(process.hrtime.bigint() - start) / 1e9 / number, value };
}

createInterface({ input: process.stdin }).on("line", (line) => console.log(JSON.stringify(answer(JSON.parse(line)))));
