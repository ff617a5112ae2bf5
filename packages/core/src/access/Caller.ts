/**
 * The caller of a request: its account, and what its key may do.
 *
 * Rule: access#kinds-of-keys, access#gateway-keys. A management key acts on every workspace of its account; a gateway key acts, for
 * a data plane, in whichever account a request names (`actingAccount`); any other key lives in one workspace.
 */
import {
  noUser,
  type KeyRestrictions,
  type OperationShape,
  type Resource,
  resourceOf,
  resourcesFor
} from "@gatewarden/contract/internal"
import type { KeyKind } from "../ports/keys.ts"

export interface Caller {
  readonly account_id: string
  /** Identifies the caller for rate limits and idempotency: the key's hash, or a digest of a host's user. */
  readonly key_hash: string
  readonly kind: KeyKind
  /** The workspace of an API key, otherwise `null`. */
  readonly workspace_id: string | null
  /** The account's default workspace, `null` once it was deleted, and for a key that is restricted to others. */
  readonly default_workspace_id: string | null
  readonly user_id: string | null
  /**
   * Whether the operator of the installation is calling: the operator may write data that all accounts share, and only its usage reports
   * count in public statistics (Rule: usage#public-statistics).
   */
  readonly is_operator: boolean
  /** What its management key is restricted to; `null` where it is not (Rule: access#restricted-keys). */
  readonly restrictions: KeyRestrictions | null
  /** Its API key was issued by consent or token exchange (Rule: presets#who-designates). */
  readonly issued?: true
  /** The host has authenticated the caller; there is no key. */
  readonly host?: true
}

/** The author that is recorded for what a caller creates (Rule: access#authors). */
export const authorOf = (caller: Caller): string => caller.user_id ?? noUser

/**
 * What a restricted management key may do, as pure rules. Rule: access#restricted-keys.
 *
 * A caller or a key.
 */
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

/** Whether the resources of a key allow operations about a resource that need not be named. */
export const mayUseResource = ({ restrictions }: Restricted, resource: Resource): boolean =>
  restrictions === null || restrictions.resources === null || restrictions.resources.includes(resource)

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
