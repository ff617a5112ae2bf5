/** Gatewarden's routes merged into those of an Effect application. */
import { layer as layerHttpServer } from "@effect/platform-node/NodeHttpServer"
import { runMain } from "@effect/platform-node/NodeRuntime"
import { type AppSettings, layerMemory, layerRoutes, layerServices, type Services } from "@gatewarden/core/effect"
import { layerPlatform } from "@gatewarden/node/effect"
import { Config, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"

/** A route of the application. */
const echo = HttpRouter.add(
  "POST",
  "/echo",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    return HttpServerResponse.jsonUnsafe(yield* request.json)
  })
)

/** The application on a port of this machine; 0 picks a free one. */
export const layerServer = <E, R>(
  services: Layer.Layer<Services, E, R>,
  port: number,
  settings: Partial<AppSettings> = {}
) =>
  HttpRouter.serve(Layer.mergeAll(echo, layerRoutes(settings)), { disableLogger: true }).pipe(
    Layer.provideMerge(layerHttpServer(createServer, { port, host: "127.0.0.1" })),
    // Provided last, so that the store is open before the socket is.
    Layer.provide(services)
  )

const services = Layer.unwrap(
  Effect.gen(function* () {
    return layerServices({
      store: layerMemory,
      keyring: yield* Config.Redacted("GATEWARDEN_KEYRING"),
      managementKey: yield* Config.Redacted("GATEWARDEN_MANAGEMENT_KEY")
    })
  })
)

if (process.argv[1] === fileURLToPath(import.meta.url))
  runMain(Layer.launch(layerServer(services, 8787).pipe(Layer.provide(layerPlatform))))
