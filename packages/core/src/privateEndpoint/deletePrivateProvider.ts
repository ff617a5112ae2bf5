import type { Caller } from "../access/Caller.ts"
import { Conflict, notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { PrivateProviders } from "../ports/privateEndpoints.ts"

/** Rule: models#private-providers. */
export const deletePrivateProvider = operation("deletePrivateProvider")(function* (
  { account_id }: Caller,
  slug: string
) {
  const outcome = yield* (yield* PrivateProviders).remove(account_id, slug)
  if (outcome === "missing") return yield* notFound()
  if (outcome === "used") return yield* new Conflict({ reason: "private_provider_in_use" })
  return { slug }
})
