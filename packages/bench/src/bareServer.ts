/**
 * The bare equivalent of the server, as a process of its own: `node:http`, the driver, one statement a request, and the
 * caller's key hashed and found in a map. No contract, no envelope, no limits, no logs.
 *
 * Started by `startBareServer`; says on standard output where it listens.
 */
import { createCipheriv, hash, randomBytes, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { insertByokCredential, selectGuardrail, updateGuardrail } from "./bareStatements.ts"
import { openDriver } from "./openDriver.ts"

export interface BareServerOptions {
  readonly databaseUrl: string
  readonly pipelined: boolean
  readonly keyHash: string
  readonly account_id: string
  readonly workspace_id: string
}

const options = JSON.parse(process.argv[2] ?? "") as BareServerOptions
const driver = await openDriver(options.databaseUrl, options.pipelined)
const callers = new Map([[options.keyHash, options]])
const cipherKey = randomBytes(32)
const places = new Map<string, number>()

const readJson = (request: IncomingMessage, onValue: (value: Record<string, unknown>) => void) => {
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => onValue(JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>))
}

/** The same cipher over the same kind of bytes: AES-256-GCM, a random nonce, the place as associated data. */
const seal = (key: string, place: string): Uint8Array => {
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", cipherKey, nonce)
  cipher.setAAD(Buffer.from(place))
  return new Uint8Array(Buffer.concat([nonce, cipher.update(key, "utf8"), cipher.final(), cipher.getAuthTag()]))
}

const answer = (response: ServerResponse) => (rows: readonly unknown[]) => {
  const body = JSON.stringify({ data: rows[0] })
  response.writeHead(rows.length === 1 ? 200 : 404, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body)
  })
  response.end(body)
}

// A connection waits for its turn longer than Node's five seconds.
const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const caller = callers.get(hash("sha256", (request.headers.authorization ?? "").slice("Bearer ".length), "hex"))
  if (caller === undefined) return void response.writeHead(401).end()
  const id = (request.url ?? "").slice((request.url ?? "").lastIndexOf("/") + 1)
  const { account_id, workspace_id } = caller
  switch (request.method) {
    case "GET":
      return driver.query(selectGuardrail, [id, account_id], answer(response))
    case "PATCH":
      return readJson(request, ({ description, limit_usd }) => {
        const nanos = BigInt(Math.round(Number(limit_usd) * 1e9))
        driver.query(updateGuardrail, [id, account_id, description, nanos, new Date().toISOString()], answer(response))
      })
    default:
      return readJson(request, ({ provider, name, key }) => {
        const row = randomUUID()
        const place = places.get(String(provider)) ?? 0
        places.set(String(provider), place + 1)
        const sealed = seal(String(key), `byok_credential key ${account_id} ${workspace_id} ${row}`)
        const label = `${String(key).slice(0, 3)}...${String(key).slice(-4)}`
        const now = new Date().toISOString()
        driver.query(
          insertByokCredential,
          [row, account_id, workspace_id, provider, name, label, sealed, place, now],
          answer(response)
        )
      })
  }
})

server.listen({ host: "127.0.0.1", port: 0 }, () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`)
})
// It ends with whoever started it.
process.stdin.on("end", () => process.exit(0)).resume()
