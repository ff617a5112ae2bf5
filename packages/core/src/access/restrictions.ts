/** What a restricted management key may do, as pure rules. Rule: access#restricted-keys. */
import {
  type KeyRestrictions,
  type OperationShape,
  type Resource,
  resourceOf,
  resourcesFor
} from "@gatewarden/contract"

/** A caller or a key. */
interface Restricted {
  readonly restrictions: KeyRestrictions | null
}

/** Why a restricted key may not call an operation: which of its restrictions forbids it, and a text for the caller. */
export interface Restraint {
  readonly code: "access" | "resources" | "workspace_ids" | "restricted"
  readonly message: string
}

/** The restriction that forbids the operation, whatever it names; `undefined` when none does. */
export const restraintOn = (
  operation: OperationShape,
  { access, resources, workspace_ids }: KeyRestrictions
): Restraint | undefined => {
  // A key may always ask what it may do.
  if (operation.id === "getCurrentKey") return undefined
  if (operation.unrestrictedOnly)
    return { code: "restricted", message: "Only a management key without restrictions may do this" }
  if (access === "read" && operation.changes !== "nothing") return { code: "access", message: "This key may only read" }
  const missing =
    resources === null ? [] : resourcesFor(operation).filter((needed) => !resources.some((each) => each === needed))
  if (resources !== null && missing.length > 0)
    return {
      code: "resources",
      message: `This key is for ${resources.join(", ")}; ${
        missing.includes(resourceOf(operation))
          ? `the operation is about ${resourceOf(operation)}`
          : operation.sendsCredentials
            ? `the operation says where BYOK credentials and prompts are sent, so it also needs ${missing.join(", ")}`
            : `an API key that it makes could also act on ${missing.join(", ")}`
      }`
    }
  const unnamed = operation.namedResourceOnly ? resourceOf(operation) : operation.sendsCredentials ? "prompts" : null
  if (resources === null && unnamed !== null)
    return {
      code: "resources",
      message: `The operation is about ${unnamed}, which the resources of this key do not name`
    }
  if (workspace_ids !== null && operation.workspaceOf === undefined)
    return {
      code: "workspace_ids",
      message: "This key is restricted to workspaces; the operation is about the account"
    }
  return undefined
}

/** Whether a key may do what needs a resource that has to be named, as `prompts` has. */
export const namesResource = ({ restrictions }: Restricted, resource: Resource): boolean =>
  restrictions === null || restrictions.resources?.includes(resource) === true

export const reachesWorkspace = ({ restrictions }: Restricted, workspace_id: string | null): boolean =>
  restrictions === null ||
  restrictions.workspace_ids === null ||
  (workspace_id !== null && restrictions.workspace_ids.includes(workspace_id))

/** The workspaces that a request of the key is kept to; `undefined` when it is kept to none. */
export const reachedWorkspaces = ({ restrictions }: Restricted): readonly string[] | undefined =>
  restrictions?.workspace_ids ?? undefined

/** The workspace that a request means without naming one, if the key is restricted to a single one. */
export const onlyWorkspace = ({ restrictions }: Restricted): string | null =>
  restrictions?.workspace_ids?.length === 1 ? (restrictions.workspace_ids[0] ?? null) : null
