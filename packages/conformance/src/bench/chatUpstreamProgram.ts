/** A provider that answers every chat at once, as a process of its own: what is measured is what stands before it. */
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
  request.on("end", () => response.writeHead(200, headers).end(answer)).resume()
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}\n`)
})
process.on("SIGTERM", () => process.exit(0))
