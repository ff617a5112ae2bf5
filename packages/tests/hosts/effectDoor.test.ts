/** What an Effect host brings is around us already: its logger, its tracer; and its users, as a layer. */
import {
  defaultSettings,
  ensureDefaultAccount,
  HostAuthentication,
  layerInstance,
  layerMemory,
  newKeyring,
  parseKeyring
} from "@gatewarden/core/internal"
import { layerRoutes } from "@gatewarden/core/effect"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, References } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { recordingTracer } from "@gatewarden/testkit/canaries/recordingTracer"
import { breakable } from "@gatewarden/conformance/internal/breakable"
import { Tracer } from "effect"

it("the routes of an Effect host run with its logger, its tracer and its users", async () => {
  const parsed = parseKeyring(Redacted.value(newKeyring("test", (size) => new Uint8Array(size).fill(7))))
  if ("problem" in parsed) throw new Error(parsed.problem)
  const { layer: store, faults } = breakable(layerMemory)
  const { tracer, lines } = recordingTracer()
  const logged: unknown[] = []
  const host = Layer.mergeAll(
    Logger.layer([Logger.make(({ message }) => void logged.push(message))]),
    Layer.succeed(References.MinimumLogLevel, "Error"),
    Layer.succeed(Tracer.Tracer, tracer),
    Layer.succeed(HostAuthentication, ({ headers }) =>
      Effect.sync(() => {
        const user = headers.get("x-user")
        return user === null ? undefined : ({ kind: "management", account: "default", user } as const)
      })
    )
  )
  const routes = Layer.mergeAll(
    layerRoutes(defaultSettings),
    HttpRouter.add("GET", "/hello", HttpServerResponse.text("the host's own"))
  ).pipe(
    Layer.provide(Layer.effectDiscard(ensureDefaultAccount())),
    Layer.provide(layerInstance(store, parsed.keyring)),
    Layer.provide(host),
    Layer.provide(HttpServer.layerServices)
  )
  const { handler, dispose } = HttpRouter.toWebHandler(routes, { disableLogger: true })
  const get = (path: string, headers: Record<string, string> = {}) =>
    handler(new Request(`http://host.test${path}`, { headers }))
  assert.strictEqual(await (await get("/hello")).text(), "the host's own")
  assert.strictEqual((await get("/api/v1/key")).status, 401)
  const key = (await (await get("/api/v1/key", { "x-user": "ada" })).json()) as { data: { label: string } }
  assert.strictEqual(key.data.label, "ada")
  faults.break("KeyUsageReader")
  assert.strictEqual((await get("/api/v1/key", { "x-user": "ada" })).status, 500)
  assert.deepEqual(logged, [["store_unavailable"]])
  assert.include(lines().join("\n"), '"getCurrentKey"')
  await dispose()
})
