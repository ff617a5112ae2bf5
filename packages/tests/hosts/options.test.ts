/** Options that do not exist are refused by name on every door, as hosts in plain JavaScript have no compiler to tell them. */
import { createClient } from "@gatewarden/client"
import { createGatewarden as createOfCore, memory } from "@gatewarden/core"
import { layerMemory } from "@gatewarden/core/effect"
import { createGatewarden, openGatewarden, serveGatewarden, toNodeHandler } from "@gatewarden/node"
import { fromPool, postgres } from "@gatewarden/postgres"
import { pglite } from "@gatewarden/postgres/pglite"
import { assert, describe, it } from "@effect/vitest"
import { Client, Pool } from "pg"
import { fileContentsSuite } from "@gatewarden/conformance/internal/file/FileContents.suite"
import { httpSuite } from "@gatewarden/conformance/internal/http/httpSuite"
import { idempotencyRecordsSuite } from "@gatewarden/conformance/internal/idempotency/IdempotencyRecords.suite"
import { storeUnderTest } from "@gatewarden/conformance/internal/stores/storeUnderTest"

const url = "postgres://user:hidden@127.0.0.1:1/none"
const pool = new Pool({ connectionString: url })
const instance = { fetch: async () => new Response() }

/** What plain JavaScript may call a door with, and what it is told. */
const refusals: readonly (readonly [door: string, call: () => unknown, message: RegExp])[] = [
  [
    "createGatewarden of the core",
    () => createOfCore({ store: memory(), keyRing: "x" } as never),
    /keyRing is no option; did you mean keyring\?/
  ],
  [
    "createGatewarden of node",
    () => createGatewarden({ store: memory(), basepath: "/" } as never),
    /basepath is no option; did you mean basePath\?/
  ],
  [
    "an address that no reason can follow",
    () => createOfCore({ store: memory(), docUrl: "https://docs.test/errors" }),
    /docUrl must be an http or https URL that ends with/
  ],
  [
    "a part of an option",
    () => createOfCore({ store: memory(), presidio: { url: "http://x.test", timeout: 5 } } as never),
    /presidio: timeout is no option; did you mean timeoutMillis\?/
  ],
  [
    "a part of storage",
    () => createOfCore({ store: memory(), storage: { keys_per_acount: 5 } } as never),
    /storage: keys_per_acount is no option; did you mean keys_per_account\?/
  ],
  [
    "serveGatewarden",
    () => serveGatewarden({ rutes: () => ({}) } as never),
    /serveGatewarden: rutes is no option; did you mean routes\?/
  ],
  [
    "openGatewarden",
    () => openGatewarden({ env: {} } as never),
    /openGatewarden: env is no option; did you mean environment\?/
  ],
  [
    "toNodeHandler",
    () => toNodeHandler(instance, { fallThrough: true } as never),
    /toNodeHandler: fallThrough is no option; did you mean fallthrough\?/
  ],
  [
    "createClient",
    () => createClient({ baseURL: "http://x.test" } as never),
    /createClient: baseURL is no option; did you mean baseUrl\?/
  ],
  [
    "postgres",
    () => postgres({ url, maxConections: 5 } as never),
    /postgres: maxConections is no option; did you mean maxConnections\?/
  ],
  ["postgres without options", () => (postgres as () => unknown)(), /postgres: expected an object of options \(url, /],
  ["postgres with text", () => postgres(url as never), /postgres: expected an object of options \(url, /],
  [
    "postgres without a url",
    () => postgres({ url: undefined }),
    /postgres: url must be a postgres:\/\/ or postgresql:\/\/ connection string/
  ],
  [
    "pglite",
    () => pglite({ dataDirectory: "x" } as never),
    /pglite: dataDirectory is no option; did you mean dataDir\?/
  ],
  ["pglite with text", () => pglite("x" as never), /pglite: expected an object of options \(dataDir, migrate\)/],
  [
    "fromPool",
    () => fromPool(pool, { schema: "off" } as never),
    /fromPool: schema is no option; the options are analyticsConnections, migrate/
  ],
  [
    "fromPool with a client",
    () => fromPool(new Client({ connectionString: url }) as never),
    /fromPool: expected a pool, .*this is a client of one/
  ],
  [
    "fromPool with text",
    () => fromPool(url as never),
    /fromPool: expected a pool, got text; use postgres\(\{ url \}\)/
  ],
  [
    "fromPool with nothing",
    () => fromPool(undefined as never),
    /fromPool: expected a pool, such as new Pool\(\) of pg/
  ],
  [
    "a suite that makes stores",
    () => storeUnderTest(layerMemory as never, 0),
    /expects a function that makes the store: \(\) => layer/
  ],
  [
    "a suite that takes a layer",
    () => fileContentsSuite("x", (() => layerMemory) as never),
    /expects the layer itself/
  ],
  [
    "a suite that needs to know more",
    () => idempotencyRecordsSuite("x", () => layerMemory, undefined as never),
    /idempotencyRecordsSuite: expected an object of options \(transactional\)/
  ],
  ["the HTTP suite", () => httpSuite("x", { store: layerMemory } as never), /httpSuite expects a name and a function/]
]

describe("what does not exist is refused by name:", () => {
  for (const [door, call, message] of refusals)
    it(door, async () => {
      const told = await Promise.resolve()
        .then(call)
        .then(
          () => "nothing",
          (cause: unknown) => String(cause)
        )
      assert.match(told, message)
      assert.match(told, /^TypeError: /)
      assert.notInclude(told, "hidden")
    })
})
