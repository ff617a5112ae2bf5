/** Which kinds of things a management key that is restricted to some must have to call an operation. */
import { resourceOf } from "./documentOrder.ts"
import { operations } from "./operations.ts"
import type { OperationShape } from "./operation.ts"

const shapes: readonly OperationShape[] = operations

/** What an API key may act on, but for data that all accounts share: whoever is given one can do this. */
const resourcesOfApiKeys: readonly string[] = shapes
  .filter(({ access, workspaceOf }) => access === "anyKey" && workspaceOf !== "none")
  .map(resourceOf)
  .sort()

/** The resources of which a restricted key needs every one. Rule: access#restricted-keys. */
export const resourcesFor = (operation: OperationShape): readonly string[] => [
  ...new Set([
    resourceOf(operation),
    ...(operation.mintsKeys ? resourcesOfApiKeys : []),
    ...(operation.sendsCredentials ? ["byok", "prompts"] : [])
  ])
]
