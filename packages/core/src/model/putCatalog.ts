import type { PutCatalog } from "@gatewarden/contract"
import { timestamp } from "../platform/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { ModelCatalog } from "./ModelCatalog.ts"

/** Decisions 14: writes the models and their endpoints for the whole installation, all or nothing. */
export const putCatalog = operation("putCatalog")(function* ({ models }: PutCatalog) {
  const catalog = yield* ModelCatalog
  yield* catalog.upsert(models, yield* timestamp)
  return { models: models.length, endpoints: models.reduce((sum, { endpoints }) => sum + endpoints.length, 0) }
})
