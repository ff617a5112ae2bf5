/**
 * Instances on databases of their own, on which nobody else delivers, and a workspace in each with webhooks: what measures of deliveries begin with.
 */
import type { Destination, SentUsageEvent } from "@gatewarden/contract"
import { layerInstance, OutgoingFetch, recordUsageEvents, type Fetch, type Services } from "@gatewarden/core/internal"
import { guardedFetch, layerPlatform } from "@gatewarden/node/effect"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { fileURLToPath } from "node:url"
import { callerOf } from "@gatewarden/testkit/delivery/deliverySuite"
import { newTenant, sealedDestination, type Tenant } from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { testKeyring } from "@gatewarden/conformance/internal/vault/testKeyring"
import type { Bench } from "./openBench.ts"
import { type Program, startProgram } from "./startProgram.ts"

export interface DeliveryScene {
  readonly databaseUrl: string
  /** Runs an effect of the core; a failure ends the process, for there is none to measure. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
  /** Records events of a workspace in one request. */
  readonly record: (tenant: Tenant, events: readonly SentUsageEvent[]) => Promise<unknown>
  readonly newTenant: () => Promise<Tenant>
  readonly newWebhook: (tenant: Tenant, url: URL) => Promise<string>
  readonly close: () => Promise<void>
}

/** The client of deliveries, and of the loops beside them. */
export const outgoing = guardedFetch({ allowPrivate: true })

/** `fetch`: what deliveries are sent with. */
export const openDeliveryScene = async (bench: Bench, fetch: Fetch = outgoing): Promise<DeliveryScene> => {
  const databaseUrl = await bench.createDatabase()
  const scope = Scope.makeUnsafe()
  const layer = Layer.mergeAll(
    layerInstance(layerPostgresStore({ url: Redacted.make(databaseUrl) }), testKeyring),
    layerPlatform,
    Layer.succeed(OutgoingFetch, fetch)
  ).pipe(Layer.provide(layerPlatform))
  const services = await Effect.runPromise(Scope.provide(Layer.build(layer), scope))
  const run = Effect.runPromiseWith(services)
  return {
    databaseUrl,
    run,
    record: (tenant, events) =>
      run(recordUsageEvents(callerOf(tenant), { kind: "value", value: { events: [...events] } })),
    newTenant: () => run(newTenant),
    newWebhook: (tenant, url) =>
      run(
        sealedDestination(tenant, {
          config: { url: url.href, method: "POST" },
          broadcast_generation_cost: true,
          broadcast_generation_request_context: true
        } as Partial<Destination>)
      ),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** A platform that reads each request to its end and accepts it, as a process of its own. */
export const startPlatform = (): Promise<Program> =>
  startProgram({
    path: fileURLToPath(new URL("./chatUpstreamProgram.js", import.meta.url)),
    listens: /^(http:.+)$/
  })

/** An event of a chat as a data plane reports it. */
export const chatEvent = (id: string, index: number, bodies: object = {}): SentUsageEvent => ({
  id,
  created_at: "2026-03-04T11:00:00.000Z",
  model: `acme/model-${index % 7}`,
  provider: "acme",
  session_id: `session ${index % 50}`,
  external_user: `customer ${index % 90}`,
  app: "Editor",
  finish_reason: "stop",
  prompt_tokens: 1_200 + (index % 100),
  completion_tokens: 300,
  cost_usd: "0.0123",
  latency_ms: 250.5,
  generation_ms: 1_500,
  ...bodies
})
