/**
 * A process that starts an instance behind a server, has it work, closes both, and prints as JSON what kept the process
 * alive before and after. It must end by itself.
 *
 * Arguments: `memory`, `pglite`, or the URL of a PostgreSQL database.
 */
import { createGatewarden, memory } from "@gatewarden/core"
import { toNodeHandler } from "@gatewarden/node"
import { postgres } from "@gatewarden/postgres"
import { pglite } from "@gatewarden/postgres/pglite"
import { once } from "node:events"
import { createServer } from "node:http"
import { setTimeout } from "node:timers/promises"

const kind = process.argv[2] ?? "memory"
const store = () => (kind === "memory" ? memory() : kind === "pglite" ? pglite() : postgres({ url: kind }))
const managementKey = "close-management-key-0123456789abcdef"
const keyring = `k1:${Buffer.alloc(32, 3).toString("base64")}`

// These count as well once they were used.
for (const output of [process.stdout, process.stderr]) output.write("\n")
await setTimeout(10)
const open = () => process.getActiveResourcesInfo().sort().join(" ")
const before = open()

/** @type {number[]} */
const statuses = []
const gatewarden = await createGatewarden({ store: store(), keyring, managementKey })
const server = createServer(toNodeHandler(gatewarden)).listen(0, "127.0.0.1")
await once(server, "listening")
const address = server.address()
const port = typeof address === "object" ? address?.port : undefined
for (const [path, body] of /** @type {const} */ ([
  ["guardrails", { name: "closed" }],
  ["analytics/query", { metrics: ["request_count"] }]
])) {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  await response.text()
  statuses.push(response.status)
}
server.closeAllConnections()
server.close()
await once(server, "close")
await gatewarden.close()

// Closed handles, and connections of the client above, are gone within a few turns.
let after = open()
for (let turn = 0; turn < 200 && after !== before; turn++) {
  await setTimeout(10)
  after = open()
}
console.log(JSON.stringify({ before, after, statuses }))
