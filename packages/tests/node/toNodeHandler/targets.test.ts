/** Where the operation is found, whatever a mount took away. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type RequestListener } from "node:http"
import { toNodeHandler } from "../../../node/src/index.ts"
import { get, instance, serve } from "./serving.ts"

describe("toNodeHandler", () => {
  it.live("finds the path in originalUrl, with the prefix stripped or kept", () =>
    Effect.gen(function* () {
      const handler = toNodeHandler(yield* instance)
      const mounts: readonly RequestListener[] = [
        (request, response) => {
          Object.assign(request, { originalUrl: request.url, url: request.url?.slice("/api/v1".length) })
          handler(request, response)
        },
        // Mounted at a part of the base path, or below it: only the whole target says what is meant.
        (request, response) => {
          Object.assign(request, { originalUrl: request.url, url: request.url?.slice("/api".length) })
          handler(request, response)
        },
        (request, response) => {
          Object.assign(request, { originalUrl: request.url, url: "/default" })
          handler(request, response)
        },
        (request, response) => {
          request.url = request.url?.slice("/api/v1".length) ?? ""
          handler(request, response)
        },
        handler
      ]
      for (const mount of mounts)
        assert.strictEqual((yield* get(yield* serve(mount), "/api/v1/workspaces/default")).status, 200)
    })
  )

  it.live("finds the path below a mount that has nothing to do with the base path", () =>
    Effect.gen(function* () {
      const handler = toNodeHandler(yield* instance)
      const mountedAt =
        (mount: string): RequestListener =>
        (request, response) => {
          Object.assign(request, { originalUrl: request.url, url: request.url?.slice(mount.length) })
          handler(request, response)
        }
      for (const [mount, target, status] of [
        ["/gateway", "/gateway/workspaces/default", 200],
        ["/gateway", "/gateway/api/v1/workspaces/default", 200],
        ["/tenants/7/api", "/tenants/7/api/v1/workspaces/default", 200],
        ["/tenants/7/api/v1", "/tenants/7/api/v1/workspaces/default?x=/api/v1/nothing", 200],
        ["/gateway", "/gateway/x/api/v1/workspaces/default", 404],
        ["/api/v1", "/api/v1/api/v1/workspaces/default", 404],
        ["", "/x/api/v1/workspaces/default", 404]
      ] as const)
        assert.strictEqual((yield* get(yield* serve(mountedAt(mount)), target)).status, status, `${mount} ${target}`)
    })
  )
})
