/** The one catalogue of reasons of errors. `npm run reference` writes `docs/reference/errors.md` from it. Rule: errors#reasons. */

import type { ErrorStatus } from "./error.ts"
import { accessReasons } from "./reasons/access.ts"
import { authorizationReasons } from "./reasons/authorization.ts"
import { directoryReasons } from "./reasons/directory.ts"
import { policiesReasons } from "./reasons/policies.ts"
import { requestsReasons } from "./reasons/requests.ts"
import { serviceReasons } from "./reasons/service.ts"
import { usageReasons } from "./reasons/usage.ts"
import { workspacesReasons } from "./reasons/workspaces.ts"

/** Every value of `error.metadata.reason`: the statuses that it comes with, its meaning, and what the caller can do. A reason is never renamed. */
export const reasons = {
  ...requestsReasons,
  ...accessReasons,
  ...authorizationReasons,
  ...workspacesReasons,
  ...directoryReasons,
  ...policiesReasons,
  ...usageReasons,
  ...serviceReasons
} as const

export type { ReasonRow } from "./reasons/ReasonTable.ts"

export type Reason = keyof typeof reasons

/** The reasons that an error of a status may have. An error with another reason does not compile. */
export type ReasonOf<S extends ErrorStatus> = {
  readonly [R in Reason]: S extends (typeof reasons)[R]["statuses"][number] ? R : never
}[Reason]
