/**
 * `npm run bench -- stalls`: for how long the longest requests keep everybody else waiting, as a table on standard output.
 *
 * Sends each of `longRequests` to a server of its own and prints the longest turn of the server's event loop in processor time, and
 * the longest that `/livez` took meanwhile, which also counts what else runs on the machine. Exits with 1 when a turn is longer than
 * 25 ms. `--only TEXT` sends the requests whose name has the text; `--store NAME` takes one store (memory, embedded or postgres).
 */
import { randomBytes } from "node:crypto"
import { parseArgs } from "node:util"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { startPostgresServer } from "@gatewarden/testkit/stores/postgresServer"
import { type Asking, type LongRequest, longRequests, smallCatalog } from "./requests.ts"

const { values } = parseArgs({
  options: { only: { type: "string", default: "" }, store: { type: "string", default: "" } }
})

const mostMillis = 25
/** The first is slowest, as the engine has not compiled much by then. */
const repetitions = 3

const headers = { authorization: `Bearer ${managementKey}`, "content-type": "application/json" }

const call = async (server: ServerProcess, method: string, path: string, body: string, more = {}): Promise<unknown> => {
  const answer = await fetch(`${server.url}${path}`, { method, headers: { ...headers, ...more }, body })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

const seed = async (server: ServerProcess): Promise<Asking> => {
  const create = async (path: string, body: unknown) =>
    (await call(server, "POST", path, JSON.stringify(body))) as { readonly data: Readonly<Record<string, unknown>> }
  const { data: workspace } = await create("/workspaces", { name: "filtered", slug: "filtered" })
  const workspace_id = String(workspace["id"])
  await call(
    server,
    "PATCH",
    `/guardrails/${String(workspace["default_guardrail_id"])}`,
    JSON.stringify({
      content_filter_builtins: [
        { slug: "email", action: "redact" },
        { slug: "ssn", action: "redact" },
        { slug: "regex-prompt-injection", action: "block" }
      ],
      content_filters: [{ pattern: "project [a-z]+ is secret", action: "redact", label: "[PROJECT]" }]
    })
  )
  const plain = await create("/keys", { name: "plain", limit: 1_000_000 })
  const filtered = await create("/keys", { name: "filtered", workspace_id })
  return { plain: String(plain.data["hash"]), filtered: String(filtered.data["hash"]) }
}

/** What the probe in the server has seen since it was last asked. */
const longestTurn = async (server: ServerProcess): Promise<number> => {
  const before = server.stderr().length
  server.child.kill("SIGUSR2")
  for (;;) {
    const [, millis] = /longest turn ([\d.]+)\n/.exec(server.stderr().slice(before)) ?? []
    if (millis !== undefined) return Number(millis)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Asks `/livez` again and again until it is told to stop, and answers how long the slowest took. */
const watchLivez = (server: ServerProcess) => {
  const watch = { isOver: false }
  const watched = (async () => {
    let slowest = 0
    while (!watch.isOver) {
      const begun = performance.now()
      await (await fetch(new URL("/livez", server.url))).arrayBuffer()
      slowest = Math.max(slowest, performance.now() - begun)
    }
    return slowest
  })()
  return () => {
    watch.isOver = true
    return watched
  }
}

interface Found {
  readonly turns: readonly number[]
  readonly livez: number
  readonly seconds: number
}

const send = async (server: ServerProcess, asking: Asking, request: LongRequest): Promise<Found> => {
  const turns: number[] = []
  let livez = 0
  let seconds = 0
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const body = request.body(asking)
    const more = request.idempotent ? { "idempotency-key": randomBytes(8).toString("hex") } : {}
    // Garbage of earlier requests is not theirs.
    await longestTurn(server)
    const stop = watchLivez(server)
    const begun = performance.now()
    try {
      for (let time = 0; time < (request.idempotent ? 2 : 1); time++)
        await call(server, request.method, request.path, body, more)
    } finally {
      livez = Math.max(livez, await stop())
    }
    seconds = Math.max(seconds, (performance.now() - begun) / 1000)
    turns.push(await longestTurn(server))
  }
  return { turns, livez, seconds }
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`

const measure = async (store: string, environment: Readonly<Record<string, string>>): Promise<boolean> => {
  const server = await startServerProcess({
    environment: {
      GATEWARDEN_LOG_LEVEL: "warn",
      GATEWARDEN_KEYRING: `bench:${randomBytes(32).toString("base64")}`,
      NODE_OPTIONS: `--import ${new URL("./loopProbe.js", import.meta.url).href}`,
      ...environment
    }
  })
  let isMet = true
  try {
    const asking = await seed(server)
    for (const request of longRequests.filter(({ name }) => name.includes(values.only))) {
      await call(server, "PUT", "/gateway/catalog", smallCatalog)
      const { turns, livez, seconds } = await send(server, asking, request).catch((cause: unknown) => {
        process.stderr.write(`${request.name}: ${String(cause)}\n${server.stderr().slice(-500)}\n`)
        return { turns: [Number.NaN], livez: Number.NaN, seconds: Number.NaN }
      })
      const longest = Math.max(...turns)
      isMet &&= longest <= mostMillis
      process.stdout.write(
        row([
          store,
          request.name,
          turns.map((turn) => turn.toFixed(1)).join(", "),
          livez.toFixed(0),
          seconds.toFixed(1)
        ])
      )
    }
  } finally {
    await server.stop()
  }
  return isMet
}

const stores: Readonly<Record<string, () => Promise<boolean>>> = {
  memory: () => measure("memory", {}),
  embedded: () => measure("embedded", { DATABASE_URL: "" }),
  postgres: async () => {
    const postgres = await startPostgresServer()
    try {
      return await measure("PostgreSQL", { DATABASE_URL: await postgres.createDatabase() })
    } finally {
      await postgres.stop()
    }
  }
}

const header = ["store", "request", "longest turn, ms of processor time", "`/livez`, ms", "seconds"]
process.stdout.write(row(header) + row(header.map(() => "---")))
for (const [name, run] of Object.entries(stores))
  if (values.store === "" || values.store === name) process.exitCode = (await run()) ? process.exitCode : 1
