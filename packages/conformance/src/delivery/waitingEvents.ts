/** Accounts with destinations, and events that wait for them: what suites of deliveries begin with. */
import type { Destination } from "@gatewarden/contract"
import {
  createAccount,
  contextOfConfig,
  sealConfig,
  BudgetLedger,
  Destinations,
  type SelectedEvent,
  type UsageEvent,
  UsageLog
} from "@gatewarden/core/internal"
import { Effect, Redacted, Stream } from "effect"
import { emptyEvent } from "../usage/emptyEvent.ts"

export interface Tenant {
  readonly account_id: string
  readonly workspace_id: string
}

let tenants = 0

export const newTenant = Effect.gen(function* () {
  const made = yield* createAccount(`tenant-${crypto.randomUUID()}-${++tenants}`)
  if (made === undefined) return yield* Effect.die(new Error("The name is taken"))
  return { account_id: made.account.id, workspace_id: made.workspace.id } satisfies Tenant
})

const config = { url: "https://example.com/hook", method: "POST", headers: { "x-token": "secret-of-config" } }

const destinationOf = (tenant: Tenant, fields: Partial<Destination>) => {
  const at = "2026-03-01T00:00:00.000Z"
  return {
    id: crypto.randomUUID(),
    workspace_id: tenant.workspace_id,
    name: null,
    enabled: true,
    privacy_mode: false,
    sampling_rate: 1,
    api_key_hashes: null,
    filter_rules: null,
    broadcast_generation_cost: false,
    broadcast_generation_identity: true,
    broadcast_generation_request_context: false,
    regions: ["global"],
    created_at: at,
    updated_at: at,
    type: "webhook",
    config,
    ...fields
  } as Destination
}

const stored = Effect.fnUntraced(function* (tenant: Tenant, destination: Destination, sealed_config: Uint8Array) {
  const outcome = yield* (yield* Destinations).insert(tenant.account_id, destination, sealed_config)
  return outcome === "inserted" ? destination.id : yield* Effect.die(new Error(outcome))
})

/** An enabled destination of a workspace, stored with a config that nobody opens. */
export const newDestination = (tenant: Tenant, fields: Partial<Destination> = {}) =>
  stored(tenant, destinationOf(tenant, fields), new Uint8Array([1, 2, 3]))

/** The same, with a config that is sent to. */
export const sealedDestination = Effect.fnUntraced(function* (tenant: Tenant, fields: Partial<Destination> = {}) {
  const destination = destinationOf(tenant, fields)
  const place = contextOfConfig(tenant.account_id, destination)
  return yield* stored(tenant, destination, yield* sealConfig(Redacted.make(destination.config), place))
})

/** An event as it is recorded, of an instant. */
export const eventAt = (id: string, workspace_id: string, at: number, fields: Partial<UsageEvent> = {}): UsageEvent => {
  const instant = new Date(at).toISOString()
  return { ...emptyEvent, id, workspace_id, model: "acme/sonnet", created_at: instant, recorded_at: instant, ...fields }
}

/** Records events that are delivered to the same destinations. */
export const recordFor = Effect.fnUntraced(function* (
  { account_id }: Tenant,
  events: readonly UsageEvent[],
  destinations: readonly string[],
  bodyOf: (event: UsageEvent) => Uint8Array | null = () => null
) {
  const selected = new Map<UsageEvent, SelectedEvent>(
    events.map((event) => [event, { destinations, sealed_bodies: bodyOf(event), sealed_content: null }])
  )
  return yield* (yield* UsageLog).recordAll(Stream.succeed([{ account_id, events, selected }]))
})

export const settleFor = Effect.fnUntraced(function* (
  { account_id }: Tenant,
  event: UsageEvent,
  destinations: readonly string[]
) {
  return yield* (yield* BudgetLedger).settle(account_id, event, {
    destinations,
    sealed_bodies: null,
    sealed_content: null
  })
})
