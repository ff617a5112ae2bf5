import type { PutCatalog } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { DecisionCache } from "../enforcement/DecisionCache.ts"
import { BadRequest, Forbidden, invalid } from "../failure.ts"
import { timestamp } from "../platform/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { ModelCatalog } from "./ModelCatalog.ts"
import { claimsOf, isTaken, maxOwnModels } from "./ownModels.ts"

const countsOf = ({ models }: PutCatalog) => ({
  models: models.length,
  endpoints: models.reduce((sum, { endpoints }) => sum + endpoints.length, 0)
})

/** Writes the models and their endpoints for the whole installation, all or nothing (decisions 14). */
export const importCatalog = operation("putCatalog")(function* (catalog: PutCatalog) {
  yield* (yield* ModelCatalog).upsert(catalog.models, yield* timestamp)
  ;(yield* DecisionCache).clear()
  return countsOf(catalog)
})

/** Writes models of the account's own, all or nothing; 400 where the installation's catalog has a name of one (decisions 15). */
const importOwnModels = operation("putOwnModels")(function* (account_id: string, catalog: PutCatalog) {
  const { models } = catalog
  const port = yield* ModelCatalog
  const installed = yield* port.named(null, models.flatMap(claimsOf))
  const issues = models.flatMap((model, index) =>
    isTaken(model, installed)
      ? [
          {
            path: `models.${index}.id`,
            code: "model_taken",
            message: "The installation's catalog has a model of this id or canonical slug"
          }
        ]
      : []
  )
  if (issues.length > 0) return yield* new BadRequest({ reason: "model_taken", issues })
  if (yield* port.upsertOwn(account_id, models, maxOwnModels)) return countsOf(catalog)
  return yield* invalid("quota_exceeded", "models", `An account has at most ${maxOwnModels} models of its own`)
})

/** The catalog belongs to the installation, so that its operator alone writes it; an account has models of its own beside it. */
export const putCatalog = Effect.fnUntraced(function* (
  caller: Caller,
  account: "own" | undefined,
  catalog: PutCatalog
) {
  if (account === undefined) {
    if (!caller.is_operator) return yield* new Forbidden({ reason: "operator_required" })
    return yield* importCatalog(catalog)
  }
  if (caller.kind === "gateway") return yield* new Forbidden({ reason: "management_key_required" })
  return yield* importOwnModels(caller.account_id, catalog)
})
