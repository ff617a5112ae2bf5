import { nearestOf } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { invalid } from "../value/failure.ts"
import { PrivateProviders } from "../ports/privateEndpoints.ts"
import { ProviderTable } from "./ProviderTable.ts"

/** Fails with 400 when neither the table nor the account has a provider of the slug; `path` is the field that named it. */
export const requireProvider = Effect.fnUntraced(function* (account_id: string, slug: string, path: string) {
  if ((yield* ProviderTable).has(slug)) return
  if (Option.isSome(yield* (yield* PrivateProviders).find(account_id, slug))) return
  const nearest = nearestOf(slug, [...(yield* ProviderTable)])
  return yield* invalid("unknown_provider", path, `Expected the slug of a known provider${nearest}`)
})
