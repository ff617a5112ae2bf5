import { Effect } from "effect"
import { invalid } from "../failure.ts"
import { ProviderTable } from "./ProviderTable.ts"

/** Fails with 400 when the table does not have the slug; `path` is the field that named it. */
export const requireProvider = Effect.fnUntraced(function* (slug: string, path: string) {
  const providers = yield* ProviderTable
  if (!providers.has(slug)) return yield* invalid("unknown_provider", path, "Expected the slug of a known provider")
})
