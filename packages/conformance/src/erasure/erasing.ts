/** Asks for erasures, and does what the background does for them. */
import {
  backgroundJobs,
  type Caller,
  type Committed,
  createErasure,
  type Keyring,
  layerVault,
  newKeyring,
  parseKeyring,
  type Vault,
  defaultRetention,
  Erasures,
  type StorePorts
} from "@gatewarden/core/internal"
import { Effect, Layer, Option, Redacted } from "effect"
import type { Tenant } from "../delivery/waitingEvents.ts"
import { given } from "../usage/queryAnalytics/scene.ts"
import type { World } from "../World.ts"

/** A batch, of the account whose turn it is behind another; its value is 0 when no erasure is due. */
export const erasureTurn = (after: string | null): Effect.Effect<Committed<number>, never, StorePorts | Vault> => {
  const job = backgroundJobs(defaultRetention).find(({ name }) => name === "erasures")
  return job === undefined ? Effect.die(new Error("no such job")) : job.batch(after)
}

export const erasureBatch = Effect.map(
  Effect.suspend(() => erasureTurn(null)),
  ({ value }) => value
)

/** As many batches as there are, which is fewer than a thousand. */
export const eraseAll = Effect.gen(function* () {
  for (let batches = 0; batches < 1_000; batches++) if ((yield* erasureBatch) === 0) return batches
  return yield* Effect.die(new Error("It does not end"))
})

/** Of every account of the installation. */
export const eraseDue = (world: World): Promise<number> => world.installation.run(eraseAll)

/** The id of an erasure that has changed a key and usage. */
export const erasedKeyAndUsage = async (world: World): Promise<string> => {
  const { hash } = (await world.call("createKey", { body: { name: "k", creator_user_id: "anna" } })).json.data
  await world.call("updateKey", { params: { hash }, body: { disabled: true } })
  await given(world, { id: "one", user_id: "anna" })
  const { id } = (await world.call("createErasure", { body: { user_id: "anna" } })).json.data
  await eraseDue(world)
  return id
}

/** With a key of its own for each number. */
export const keyringOf = (byte: number): Keyring => {
  const parsed = parseKeyring(Redacted.value(newKeyring("test", (size) => new Uint8Array(size).fill(byte))))
  if ("problem" in parsed) throw new Error(parsed.problem)
  return parsed.keyring
}

export const vault = (byte = 7): Layer.Layer<Vault> => layerVault(keyringOf(byte))

/** A store with the vault that erasures need. */
export const withVault = (makeStore: () => Layer.Layer<StorePorts, unknown>) => () => Layer.merge(makeStore(), vault())

const callerOf = ({ account_id }: Tenant): Caller => ({
  account_id,
  key_hash: "0".repeat(64),
  kind: "management",
  workspace_id: null,
  default_workspace_id: null,
  user_id: null,
  is_operator: false,
  restrictions: null
})

export const askFor = (tenant: Tenant, body: { readonly user_id?: string; readonly external_user?: string }) =>
  Effect.orDie(createErasure(callerOf(tenant), body))

export const stateOf = ({ account_id }: Tenant, id: string) =>
  Effect.flatMap(Erasures, (erasures) => Effect.map(erasures.find(account_id, id), Option.getOrThrow))
