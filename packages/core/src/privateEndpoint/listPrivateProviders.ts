import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { PrivateProviders } from "../ports/privateEndpoints.ts"

/** Rule: models#private-providers. */
export const listPrivateProviders = operation("listPrivateProviders")(function* ({ account_id }: Caller) {
  return { data: [...(yield* (yield* PrivateProviders).list(account_id))] }
})
