import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { PrivateProviders } from "../ports/privateEndpoints.ts"

/** Rule: models#private-providers. */
export const getPrivateProvider = operation("getPrivateProvider")(function* ({ account_id }: Caller, slug: string) {
  const found = yield* (yield* PrivateProviders).find(account_id, slug)
  return Option.isSome(found) ? found.value : yield* notFound()
})
