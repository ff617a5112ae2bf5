/** The in-memory store: every port over one set of tables. It forgets everything when its process ends. */
import { Context, Effect, Layer } from "effect"
import { Accounts } from "../access/Accounts.ts"
import { ApiKeys } from "../access/ApiKeys.ts"
import { Guardrails } from "../guardrail/Guardrails.ts"
import { IdempotencyRecords } from "../idempotency/IdempotencyRecords.ts"
import { RateLimits } from "../limits/RateLimits.ts"
import { StoreHealth } from "../platform/StoreHealth.ts"
import type { StorePorts } from "../ports.ts"
import { Workspaces } from "../workspace/Workspaces.ts"
import { accounts } from "./Accounts.ts"
import { apiKeys } from "./ApiKeys.ts"
import { guardrails } from "./Guardrails.ts"
import { idempotencyRecords } from "./IdempotencyRecords.ts"
import { rateLimits } from "./RateLimits.ts"
import { makeTables } from "./Tables.ts"
import { workspaces } from "./Workspaces.ts"

/** A fresh store each time it is built. */
export const layerMemory: Layer.Layer<StorePorts> = Layer.effectContext(
  Effect.sync(() => {
    const tables = makeTables()
    return Context.make(Accounts, accounts(tables)).pipe(
      Context.add(ApiKeys, apiKeys(tables)),
      Context.add(Workspaces, workspaces(tables)),
      Context.add(Guardrails, guardrails(tables)),
      Context.add(RateLimits, rateLimits()),
      Context.add(IdempotencyRecords, idempotencyRecords()),
      Context.add(StoreHealth, StoreHealth.of({ ping: Effect.void }))
    )
  })
)
