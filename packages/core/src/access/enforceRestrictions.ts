/**
 * Keeps a restricted management key to its restrictions, before the request's body is read.
 *
 * What lies in another workspace does not exist to the key. Operations that name their workspace by `workspace_id` are kept to it where
 * that is resolved (`resolveWorkspace`, `workspaceOfCaller`), and those about all that the key `reached` keep to it where they read
 * (`reachedWorkspaces`). Rule: access#restricted-keys.
 */
import type { KeyRestrictions, NounOfWorkspace, OperationShape } from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import { AlertChannels } from "../ports/alerts.ts"
import { ByokCredentials } from "../ports/byok.ts"
import { Destinations } from "../ports/destinations.ts"
import { Guardrails, defaultGuardrailId } from "../ports/guardrails.ts"
import { ApiKeys } from "../ports/keys.ts"
import { Workspaces } from "../ports/workspaces.ts"
import { type Failure, Forbidden, notFound, restrictedKey } from "../value/failure.ts"
import { type Caller, reachesWorkspace, restraintOn } from "./Caller.ts"

type Found = Effect.Effect<
  Option.Option<string>,
  never,
  AlertChannels | ApiKeys | ByokCredentials | Destinations | Guardrails | Workspaces
>

/** The workspace of a thing of the account; none when there is no such thing. */
const workspaceOfNoun: Readonly<Record<NounOfWorkspace, (account_id: string, name: string) => Found>> = {
  alert_channel: (account_id, id) =>
    Effect.flatMap(AlertChannels, (channels) =>
      Effect.map(
        channels.find(account_id, id),
        Option.map(({ channel }) => channel.workspace_id)
      )
    ),
  byok_credential: (account_id, id) =>
    Effect.flatMap(ByokCredentials, (credentials) =>
      Effect.map(
        credentials.find(account_id, id),
        Option.map(({ workspace_id }) => workspace_id)
      )
    ),
  destination: (account_id, id) =>
    Effect.flatMap(Destinations, (destinations) =>
      Effect.map(
        destinations.find(account_id, id),
        Option.map(({ destination }) => destination.workspace_id)
      )
    ),
  guardrail: (account_id, id) =>
    Effect.flatMap(Guardrails, (guardrails) =>
      Effect.map(
        guardrails.find(account_id, id),
        Option.map(({ workspace_id }) => workspace_id)
      )
    ),
  key: (account_id, hash) =>
    Effect.flatMap(ApiKeys, (keys) =>
      Effect.map(keys.list(account_id, { kind: "normal", hashes: [hash] }), ([key]) =>
        Option.fromNullishOr(key?.workspace_id)
      )
    ),
  workspace: (account_id, idOrSlug) =>
    Effect.flatMap(Workspaces, (workspaces) =>
      Effect.map(
        workspaces.find(account_id, idOrSlug),
        Option.map(({ id }) => id)
      )
    )
}

export const enforceRestrictions = (
  operation: OperationShape,
  caller: Caller,
  restrictions: KeyRestrictions,
  params: Readonly<Record<string, string>>
): Effect.Effect<void, Failure, Effect.Services<Found>> => {
  const restraint = restraintOn(operation, restrictions)
  if (restraint !== undefined)
    return Effect.fail(restrictedKey("header.authorization", restraint.code, restraint.message))
  const { workspaceOf } = operation
  if (
    restrictions.workspace_ids === null ||
    workspaceOf === undefined ||
    workspaceOf === "named" ||
    workspaceOf === "reached" ||
    workspaceOf === "none"
  )
    return Effect.void
  const parsed = operation.params?.safeParse(params)
  // The handler answers a malformed name.
  if (parsed?.success !== true) return Effect.void
  const names = parsed.data as Readonly<Record<string, string>>
  const name = names["id"] ?? names["hash"]
  if (name === undefined) return Effect.die(new Error(`${operation.id} names no ${workspaceOf} in its path`))
  // A default guardrail that nobody changed is in no table, and its first change stores it.
  const isOwnDefault =
    workspaceOf === "guardrail" && restrictions.workspace_ids.some((id) => defaultGuardrailId(id) === name)
  return Effect.flatMap(workspaceOfNoun[workspaceOf](caller.account_id, name), (found) =>
    (Option.isNone(found) ? isOwnDefault : reachesWorkspace(caller, found.value))
      ? Effect.void
      : Effect.fail(notFound())
  )
}

/**
 * Refuses a caller that may not write what a request names: what all accounts share, or, with the parameter, what is the account's own.
 * The check of the query refuses other values of it. Rule: access#operator.
 */
export const enforceOperator = (caller: Caller, parameter: string, search: string): Forbidden | undefined => {
  if (!new URLSearchParams(search).has(parameter))
    return caller.is_operator ? undefined : new Forbidden({ reason: "operator_required" })
  return caller.kind === "gateway" ? new Forbidden({ reason: "management_key_required" }) : undefined
}
