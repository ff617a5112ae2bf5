/** The order of operations in the document, as a newcomer needs them: create a key, restrict it, decide on requests, see their cost. */
import type { OperationShape } from "./operation.ts"

/** Groups with what each is for. A group that is not listed comes last. */
const groups = {
  Keys: "API keys and their limits. Start here: who am I, and a key for an application.",
  Guardrails: "What requests of a workspace, a member or a key may do and spend.",
  Gateway: "For the data plane: the catalog, a decision before each request, and what it cost.",
  BYOK: "Your own credentials at upstream providers.",
  Workspaces: "Teams within an account, their members and budgets.",
  Organization: "The users of the account.",
  SCIM: "Users and groups that a directory provisions (SCIM 2.0).",
  Presets: "Named request settings, in versions.",
  Credits: "What was granted to the account, and what it has spent.",
  Analytics: "What was used and spent.",
  Prompts: "Inputs and outputs of requests, where a workspace keeps them.",
  Models: "What can be asked for, and what it costs.",
  Endpoints: "Who serves a model, and how well.",
  Datasets: "Public rankings, of models, apps and tasks, and what sessions cost.",
  Observability: "Destinations of usage, and how deliveries to them go.",
  Alerts: "Who is told of budgets, keys and destinations that need attention, and what was told.",
  Files: "Files that requests refer to.",
  Authorization: "Keys for users of your application (PKCE).",
  Service: "The service itself."
} as const

type Group = keyof typeof groups

/** What a management key may be restricted to: a name for each group. */
export const resources = Object.keys(groups).map((group) => group.toLowerCase()) as [
  Lowercase<Group>,
  ...Lowercase<Group>[]
]

/** The kind of thing that an operation is about. */
export const resourceOf = ({ tag }: OperationShape): string => tag.toLowerCase()

const descriptions: Readonly<Record<string, string>> = groups

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
    ...(descriptions[name] === undefined ? {} : { description: descriptions[name] })
  }))
