// Asks a gateway with the SDK for Node: jobs come on stdin, one JSON array; what was got goes to stdout, a line a job.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const { default: OpenAI } = await import(createRequire(process.argv[2] + "/").resolve("openai"));
const client = new OpenAI({ baseURL: process.argv[3], apiKey: "sk-of-node", maxRetries: 0, timeout: 30000 });
const jobs = JSON.parse(readFileSync(0, "utf8"));

async function ask({ number, stream, asked }) {
  const seen = { number, stream, content: null, calls: [], error: null };
  const body = { model: "m", messages: [{ role: "user", content: String(number) }], ...asked };
  try {
    if (!stream) {
      const { message } = (await client.chat.completions.create(body)).choices[0];
      seen.content = message.content;
      seen.calls = (message.tool_calls ?? []).map((call) => [call.function.name, call.function.arguments]);
      return seen;
    }
    for await (const chunk of await client.chat.completions.create({ ...body, stream: true })) {
      for (const { delta } of chunk.choices) {
        if (delta.content) seen.content = (seen.content ?? "") + delta.content;
        for (const call of delta.tool_calls ?? []) {
          const known = (seen.calls[call.index] ??= ["", ""]);
          known[0] += call.function?.name ?? "";
          known[1] += call.function?.arguments ?? "";
        }
      }
    }
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    seen.error = error.status ?? 0;
  }
  return seen;
}

for (let at = 0; at < jobs.length; at += 8) {
  for (const seen of await Promise.all(jobs.slice(at, at + 8).map(ask))) console.log(JSON.stringify(seen));
}
