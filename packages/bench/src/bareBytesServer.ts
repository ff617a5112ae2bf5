/**
 * What answers with bytes must do at least, as a process of its own: `node:http`, the caller's key hashed and compared, and the same bytes
 * for every request. Started by `startBareServer`.
 */
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"

export interface BareBytesOptions {
  readonly keyHash: string
  /** The path of a file with the bytes. */
  readonly file: string
}

const { keyHash, file } = JSON.parse(process.argv[2] ?? "") as BareBytesOptions
const bytes = readFileSync(file)

// A connection waits for its turn longer than Node's five seconds.
const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const sent = hash("sha256", (request.headers.authorization ?? "").slice("Bearer ".length), "hex")
  if (sent !== keyHash) return void response.writeHead(401).end()
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length })
  response.end(bytes)
})

server.listen({ host: "127.0.0.1", port: 0 }, () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`)
})
// It ends with whoever started it.
process.stdin.on("end", () => process.exit(0)).resume()
