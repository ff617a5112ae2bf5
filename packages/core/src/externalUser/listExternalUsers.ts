import type { listExternalUsers as declaration, QueryOf } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { ExternalUsers, printedExternalUser } from "../ports/externalUsers.ts"

/** Rule: access#external-users. */
export const listExternalUsers = operation("listExternalUsers")(function* (
  { account_id }: Caller,
  { user: external_user, include_inactive, ...page }: QueryOf<typeof declaration>
) {
  const { data, total_count } = yield* (yield* ExternalUsers).list(
    account_id,
    { external_user, include_inactive },
    page
  )
  return { data: data.map(printedExternalUser), total_count }
})
