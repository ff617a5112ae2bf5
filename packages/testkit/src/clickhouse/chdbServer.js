/**
 * ClickHouse's HTTP interface over `chdb`, the engine in this process: what `@clickhouse/client` sends, with the engine's own answers.
 *
 * One statement at a time, because settings and parameters of a request belong to its session. Ends when standard input does.
 * Source: https://clickhouse.com/docs/interfaces/http
 */
import { Session } from "chdb"
import { createServer } from "node:http"
import { gunzipSync } from "node:zlib"

/** Parameters of a request that are no settings. */
const noSettings = new Set([
  "query",
  "database",
  "query_id",
  "session_id",
  "wait_end_of_query",
  "role",
  "default_format"
])

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll(/[\\']/g, "\\$&")}'`

const [directory = "", password = ""] = process.argv.slice(2)
const session = new Session(directory)
/** Asks beside the statement that runs. */
const other = new Session(directory)

/** @param {string} sql */
const ask = async (sql) => {
  const result = await session.queryAsync(sql, { format: "TabSeparated" })
  return { bytes: result.bytes(), rows: result.rowsRead, read: result.bytesRead }
}

/**
 * A statement under the settings of its request.
 *
 * @param {URLSearchParams} sent
 * @param {string} sql
 */
const run = async (sent, sql) => {
  const names = [...sent.keys()].filter((name) => !noSettings.has(name))
  const settings = names.filter((name) => !name.startsWith("param_"))
  try {
    await ask(`USE ${sent.get("database") ?? "default"}`)
    // A parameter is escaped as text of the interface is, in a request as here.
    for (const name of names) await ask(`SET ${name} = ${quoted(sent.get(name) ?? "")}`)
    return await ask(sql)
  } finally {
    for (const name of settings) await ask(`SET ${name} = DEFAULT`).catch(() => {})
  }
}

/** Ends the statement that runs: nobody waits for its answer any more. */
const cancel = () =>
  other.queryAsync("KILL QUERY WHERE query NOT ILIKE 'KILL%' AND query NOT LIKE '%system.processes%'").catch(() => {})

/** @type {Promise<unknown>} */
let last = Promise.resolve()

/** @param {import("node:http").IncomingMessage} request */
const isKnown = ({ headers }) => {
  if (headers["x-clickhouse-user"] !== undefined)
    return headers["x-clickhouse-user"] === "default" && headers["x-clickhouse-key"] === password
  return headers.authorization === `Basic ${Buffer.from(`default:${password}`).toString("base64")}`
}

/** @param {import("node:http").IncomingMessage} request */
const bodyOf = async (request) => {
  const parts = []
  for await (const part of request) parts.push(part)
  const body = Buffer.concat(parts)
  return (request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString("utf8")
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {number} status
 * @param {number} code
 * @param {string} message
 */
const refuse = (response, status, code, message) =>
  response.writeHead(status, { "x-clickhouse-exception-code": String(code) }).end(`${message}\n`)

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? "/", "http://clickhouse")
  if (url.pathname === "/ping") return void response.end("Ok.\n")
  if (!isKnown(request))
    return void refuse(response, 403, 516, "Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)")
  const body = await bodyOf(request)
  const query = url.searchParams.get("query")
  const sql = query === null ? body : body === "" ? query : `${query}\n${body}`
  let runs = false
  response.on("close", () => void (runs && cancel()))
  const turn = last.then(async () => {
    if (response.destroyed) return undefined
    runs = true
    return run(url.searchParams, sql).finally(() => (runs = false))
  })
  last = turn.catch(() => {})
  try {
    const answered = await turn
    if (answered === undefined) return
    const summary = { read_rows: String(answered.rows), read_bytes: String(answered.read), written_rows: "0" }
    response
      .writeHead(200, {
        "x-clickhouse-query-id": url.searchParams.get("query_id") ?? "",
        "x-clickhouse-summary": JSON.stringify(summary)
      })
      .end(answered.bytes)
  } catch (cause) {
    const { clickhouseCode = 0, message } = /** @type {Error & { clickhouseCode?: number }} */ (cause)
    refuse(response, 500, clickhouseCode, message)
  }
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) process.stdout.write(`${address.port}\n`)
})

process.stdin.resume().on("end", () => process.exit(0))
