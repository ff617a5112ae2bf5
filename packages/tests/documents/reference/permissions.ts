/** What each operation needs of a key, made from the table of operations. */
import { operations, type OperationShape, resourcesFor, type WorkspaceOf } from "@gatewarden/contract/internal"
import { code, page, table } from "./markdown.ts"

const shapes: readonly OperationShape[] = operations

const workspaces: Readonly<Record<WorkspaceOf, string>> = {
  named: "the one of `workspace_id`",
  reached: "what lies in those that the key reaches",
  none: "any: the data is shared",
  alert_channel: "that of the alert channel",
  byok_credential: "that of the credential",
  destination: "that of the destination",
  guardrail: "that of the guardrail",
  key: "that of the key",
  workspace: "itself"
}

const keys: Readonly<Record<OperationShape["access"], string>> = {
  anyone: "none",
  anyKey: "any key",
  managementKey: "management key"
}

/** A restricted key needs all three. */
const restrictionsFor = (operation: OperationShape): readonly [string, string, string] => {
  if (operation.access === "anyone") return ["", "", ""]
  if (operation.unrestrictedOnly) return ["no restricted key", "", ""]
  const { workspaceOf } = operation
  return [
    code(operation.changes === "nothing" ? "read" : "write"),
    operation.id === "getCurrentKey"
      ? "any"
      : `${resourcesFor(operation).map(code).join(", ")}${operation.namedResourceOnly ? ", by name" : ""}`,
    workspaceOf === undefined ? "no key with `workspace_ids`" : workspaces[workspaceOf]
  ]
}

export const permissions = (): string =>
  page(
    "Permissions",
    "Which key each operation needs, and what a [restricted key](../rules/access.md#restricted-keys) needs to call it: `access`, each of the named `resources`, and the workspace that it must reach. A gateway key may call what is marked.",
    table(
      ["operation", "request", "key", "access", "resource", "workspace"],
      shapes.map((operation) => [
        code(operation.id),
        code(`${operation.method} ${operation.path}`),
        `${keys[operation.access]}${operation.gatewayKey ? ", gateway key" : ""}`,
        ...restrictionsFor(operation)
      ])
    )
  )
