/** What the server does for the paths that a host answers beside the operations. Rule: operating#host-routes. */
import { assert, describe, it } from "@effect/vitest"
import { defaultSettings, layerMemory, newKeyring, OutgoingFetch, parseKeyring } from "@gatewarden/core/effect"
import { Effect, Exit, Redacted, Scope } from "effect"
import { nodeEntropy } from "../../../node/src/platform/layerPlatform.ts"
import type { HostRoutes, Served } from "../../../node/src/server/HostRoutes.ts"
import { type ServerOptions, startServer } from "../../../node/src/server/startServer.ts"
import { sendRaw } from "../../cli/gatewarden.ts"

const keyring = () => {
  const parsed = parseKeyring(Redacted.value(newKeyring("test", nodeEntropy.bytes)))
  if ("problem" in parsed) throw new Error(parsed.problem)
  return parsed.keyring
}

const hello: HostRoutes["listener"] = (request, response, next) => {
  response.setHeader("x-host", "1")
  if (request.method === "POST" && request.url === "/api/v1/hello") response.end(JSON.stringify({ hello: true }))
  else next?.()
}

const start = (
  routes: (served: Served) => HostRoutes,
  settings: Partial<ServerOptions<never, never>["settings"]> = {}
) =>
  Effect.map(
    startServer({
      store: layerMemory,
      keyring: keyring(),
      managementKey: Redacted.make("host-routes-management-key-0123456789"),
      settings: { ...defaultSettings, ...settings },
      host: "127.0.0.1",
      port: 0,
      drainTimeout: 0,
      routes
    }),
    (server) => ({
      ...server,
      send: (head: string) => Effect.promise(() => sendRaw(Number(new URL(server.url).port), head))
    })
  )

const paths = ["/hello"]
const post = "POST /api/v1/hello HTTP/1.1\nHost: x\nContent-Length: 0"
const reasonOf = (json: unknown): string => (json as { error: { metadata: { reason: string } } }).error.metadata.reason

describe("a host's routes", () => {
  it.live("are answered by the host with a request id, and the rest by the server", () =>
    Effect.gen(function* () {
      const { send } = yield* start(() => ({ paths, listener: hello }))
      const own = yield* send(`${post}\nX-Request-Id: mine`)
      assert.deepStrictEqual([own.status, own.json], [200, { hello: true }])
      assert.match(own.text, /^x-request-id: mine\r$/im)
      for (const [target, status] of [
        ["/livez", 200],
        ["/api/v1/hello", 404],
        ["/api/v1/key", 401]
      ] as const) {
        const other = yield* send(`GET ${target} HTTP/1.1\nHost: x`)
        assert.strictEqual(other.status, status, target)
        // What the host sets is on each answer.
        assert.match(other.text, /^x-host: 1\r$/im)
      }
    })
  )

  it.live("send what they send to addresses of others as the server does", () =>
    Effect.gen(function* () {
      const fetched: string[] = []
      const outgoing: Served["outgoing"] = async (url) => {
        fetched.push(url)
        return new Response("{}")
      }
      let served: Served | undefined
      yield* start((given) => {
        served = given
        return { paths, listener: hello }
      }).pipe(Effect.provideService(OutgoingFetch, outgoing))
      const { signal } = new AbortController()
      yield* Effect.promise(async () =>
        served?.outgoing("https://inference.example.com", { method: "GET", headers: {}, redirect: "manual", signal })
      )
      assert.deepEqual(fetched, ["https://inference.example.com"])
    })
  )

  it.live("are 500 when the host throws, and the server goes on", () =>
    Effect.gen(function* () {
      const { send } = yield* start(() => ({
        paths,
        listener: () => {
          throw new Error("a secret")
        }
      }))
      for (const _ of [1, 2]) {
        const { status, json, text } = yield* send(post)
        assert.deepStrictEqual([status, reasonOf(json)], [500, "unexpected_failure"])
        assert.notInclude(text, "secret")
      }
    })
  )

  it.live("are 400 when no one host of several is named", () =>
    Effect.gen(function* () {
      const region = { hosts: { "eu.example": "europe" as const }, trustedProxies: 2 }
      const { send } = yield* start(() => ({ paths, listener: hello }), { region })
      assert.strictEqual((yield* send(`${post}\nX-Forwarded-Host: eu.example`)).status, 200)
      const { status, json } = yield* send(`${post}\nX-Forwarded-Host: eu.example, us.example`)
      assert.deepStrictEqual([status, reasonOf(json)], [400, "invalid_header"])
    })
  )

  it.live("know where their errors are explained", () =>
    Effect.gen(function* () {
      let served: Served | undefined
      const make = (given: Served) => {
        served = given
        return { paths, listener: hello }
      }
      yield* start(make)
      assert.strictEqual(served?.errorDocs("/api/v1/hello"), "errors/")
      assert.strictEqual(served?.errorDocs("/api/v1/hello/you?a=/"), "../errors/")
    })
  )

  for (const [title, idle] of [
    ["are waited for before the store closes", () => new Promise<void>((resolve) => setTimeout(resolve, 50))],
    ["do not keep the store open when they fail", () => Promise.reject(new Error("failed"))]
  ] as const)
    it.live(title, () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        let asked = 0
        let over = false
        const make = ({ gatewarden }: Served): HostRoutes => ({
          paths,
          listener: hello,
          idle: async () => {
            asked++
            // The store is open.
            await gatewarden.cancel("nothing").catch((cause: { readonly status: unknown }) => {
              over = cause.status === 404
            })
            await idle()
          }
        })
        const { drain } = yield* Scope.provide(start(make), scope)
        yield* drain
        assert.strictEqual(asked, 0)
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual([asked, over], [1, true])
      })
    )
})
