/**
 * A provider that answers every chat at once, or after the milliseconds of `?after=`, as a process of its own: what is measured is what
 * stands before it.
 */
import { createServer } from "node:http"

const answer = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_767_225_600,
  model: "gpt-4o-mini",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "The quick brown fox jumps over the lazy dog.", refusal: null },
      logprobs: null,
      finish_reason: "stop"
    }
  ],
  usage: { prompt_tokens: 24, completion_tokens: 10, total_tokens: 34 }
})
const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(answer) }

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const give = () => response.writeHead(200, headers).end(answer)
  const after = Number(/[?&]after=(\d+)/.exec(request.url ?? "")?.[1] ?? 0)
  request.on("end", () => (after === 0 ? give() : setTimeout(give, after))).resume()
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}\n`)
})
process.on("SIGTERM", () => process.exit(0))
