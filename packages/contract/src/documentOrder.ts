/** The order of operations in the document, as a newcomer needs them: create a key, restrict it, decide on requests, see their cost. */
import type { OperationShape } from "./operation.ts"

/** Groups with what each is for. A group that is not listed comes last. */
const groups: Readonly<Record<string, string>> = {
  Keys: "API keys and their limits. Start here: who am I, and a key for an application.",
  Guardrails: "What requests of a workspace, a member or a key may do and spend.",
  Gateway: "For the data plane: the catalog, a decision before each request, and what it cost.",
  BYOK: "Your own credentials at upstream providers.",
  Workspaces: "Teams within an account, their members and budgets.",
  Organization: "The users of the account.",
  Presets: "Named request settings, in versions.",
  Analytics: "What was used and spent.",
  Models: "What can be asked for, and what it costs.",
  Endpoints: "Who serves a model, and how well.",
  Datasets: "Public rankings.",
  Observability: "Destinations of usage. They are stored; nothing is forwarded to them yet.",
  Files: "Files that requests refer to.",
  Authorization: "Keys for users of your application (PKCE).",
  Service: "The service itself."
}

/** Operations that come first within their group; the others follow in the order of the table. */
const first: readonly string[] = [
  "getCurrentKey",
  "createKey",
  "listKeys",
  "createGuardrail",
  "listGuardrails",
  "getGuardrail",
  "updateGuardrail",
  "deleteGuardrail",
  "putCatalog",
  "createAdmission",
  "settleAdmission",
  "renewAdmission",
  "cancelAdmission",
  "createExplanation",
  "createByokCredential",
  "createWorkspace",
  "listWorkspaces",
  "getWorkspace",
  "updateWorkspace"
]

const rankIn = (names: readonly string[], name: string): number => {
  const rank = names.indexOf(name)
  return rank === -1 ? names.length : rank
}

const groupNames = Object.keys(groups)

export const documentOrder = (table: readonly OperationShape[]): readonly OperationShape[] =>
  [...table].sort(
    (a, b) => rankIn(groupNames, a.tag) - rankIn(groupNames, b.tag) || rankIn(first, a.id) - rankIn(first, b.id)
  )

/** The groups of operations that are in order already. */
export const documentTags = (ordered: readonly OperationShape[]) =>
  [...new Set(ordered.map(({ tag }) => tag))].map((name) => ({
    name,
    ...(groups[name] === undefined ? {} : { description: groups[name] })
  }))
