/**
 * Which methods of the public client Gatewarden answers, made from the client's own methods.
 *
 * A method is answered by an operation of the table, or out of scope with a reason; `missingMethods` are neither.
 */
import { OpenRouter } from "@openrouter/sdk"
import { isOwnOperation, operations, type OperationShape } from "@gatewarden/contract/internal"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { isCalled } from "./clientCalls.ts"
import { code, page, table } from "./markdown.ts"
import { terraform } from "./terraform.ts"

interface ClientMethod {
  /** As it is called: `apiKeys.list`. */
  readonly name: string
  /** `GET /keys`, with the client's own names of parameters; `undefined` for a method that sends nothing. */
  readonly route: string | undefined
}

const clientFolder = dirname(createRequire(import.meta.url).resolve("@openrouter/sdk/package.json"))

/** The function that a method calls has a file of its own, in which its route is written. */
const routeOf = (name: string): string | undefined => {
  const source = readFileSync(join(clientFolder, "esm", "funcs", `${name}.js`), "utf8")
  const renamed = /export const \w+ = (\w+);/.exec(source)?.[1]
  if (renamed !== undefined) return routeOf(renamed)
  const path = /pathToFunc\("([^"]+)"/.exec(source)?.[1]
  const method = /\bmethod: "([A-Z]+)"/.exec(source)?.[1]
  return path === undefined || method === undefined ? undefined : `${method} ${path}`
}

/** The methods of a group, then those of its subgroups, which are getters. */
const methodsOf = (group: object, prefix: string): readonly ClientMethod[] =>
  Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(group) as object)).flatMap(
    ([name, { get, value }]) => {
      if (get !== undefined) return methodsOf(get.call(group) as object, `${prefix}${name}.`)
      if (typeof value !== "function" || name === "constructor") return []
      const called = /unwrap\w+\((\w+)\(/.exec(String(value))?.[1]
      return [{ name: `${prefix}${name}`, route: called === undefined ? undefined : routeOf(called) }]
    }
  )

export const clientMethods: readonly ClientMethod[] = methodsOf(new OpenRouter({ apiKey: "none" }), "")

const inference = "a call of a model: the gateway sends it to a provider"
const containers = "files in the containers of server tools, which the gateway's provider runs"
const interns = "hosted agents and their secrets, a product beside the gateway"

/** What Gatewarden leaves to the gateway or to others: a path, or the start of paths if it ends with a slash. */
const outOfScope: readonly (readonly [start: string, why: string])[] = [
  ["/chat/completions", inference],
  ["/responses", inference],
  ["/embeddings", inference],
  ["/rerank", inference],
  ["/audio/", inference],
  ["/images", inference],
  ["/videos", inference],
  ["/videos/{jobId}", inference],
  ["/videos/{jobId}/content", inference],
  ["/api/alpha/decisions", inference],
  ["/systemone", inference],
  ["/containers/", containers],
  ["/interns", interns],
  ["/interns/", interns],
  ["/vault/", interns],
  ["/benchmarks", "scores of models by third parties"]
]

const withoutNames = (route: string): string => route.replaceAll(/\{\w+\}|:\w+/g, "{}")

const shapes: readonly OperationShape[] = operations
const byRoute = new Map(
  shapes.flatMap(({ id, method, path, alias }) =>
    [path, ...(alias === undefined ? [] : [alias])].map((each) => [withoutNames(`${method} ${each}`), id] as const)
  )
)

const operationOf = ({ route }: Pick<ClientMethod, "route">): string | undefined =>
  route === undefined ? undefined : byRoute.get(withoutNames(route))

/** Methods that need no operation of their own. */
const withoutRoute: Readonly<Record<string, string>> = {
  callModel: inference,
  "oAuth.createAuthorizationUrl":
    "builds the address of the [page of the PKCE flow](../rules/authorization.md), and sends nothing",
  "oAuth.createSHA256CodeChallenge": "computes, and sends nothing"
}

const reasonFor = ({ name, route }: ClientMethod): string | undefined => {
  const path = route?.split(" ")[1]
  return path === undefined
    ? withoutRoute[name]
    : outOfScope.find(([start]) => path === start || (start.endsWith("/") && path.startsWith(start)))?.[1]
}

/** The methods that nothing answers and that nobody declared out of scope. */
export const missingMethods = (): readonly string[] =>
  clientMethods
    .filter((method) => operationOf(method) === undefined && reasonFor(method) === undefined)
    .map(({ name, route }) => `${name} (${route ?? "no route found"})`)

const version = (): string =>
  (JSON.parse(readFileSync(join(clientFolder, "package.json"), "utf8")) as { version: string }).version

const entitled = "a part of the hosted service's own tool catalog: which tools it runs, at which prices"

/** Seen at fd507dd9, 15b9c589, 962875a7 and db787e24 of the client's repository, all of 2026-05-20; its main branch at cb9393a8 has none of it. */
const draft =
  "a draft of May 2026 that no client has: tools that tenants register with the hosted service, which calls them"

/**
 * Requests of the public API that the installed client does not have, with the client's names of the methods (docs/decisions/0012-public-api-of-today.md).
 * `why`: nothing answers it.
 */
const newer: readonly { readonly name: string; readonly route: string; readonly why?: string }[] = [
  { name: "apiKeys.rotate", route: "POST /keys/{hash}/rotate" },
  {
    name: "credits.getCurrentBudget",
    route: "GET /budget",
    why: "a draft of August 2026 that no version has: [`GET /key`](../rules/access.md#budgets-of-a-key) answers the same budgets"
  },
  { name: "organization.getSettings", route: "GET /organization/settings" },
  { name: "organization.updateSettings", route: "PATCH /organization/settings" },
  { name: "privateEndpoints.list", route: "GET /private-endpoints" },
  { name: "privateEndpoints.create", route: "POST /private-endpoints" },
  { name: "privateEndpoints.get", route: "GET /private-endpoints/{id}" },
  { name: "privateEndpoints.update", route: "PATCH /private-endpoints/{id}" },
  { name: "privateEndpoints.delete", route: "DELETE /private-endpoints/{id}" },
  { name: "privateEndpoints.validate", route: "POST /private-endpoints/{id}/validate" },
  { name: "privateEndpoints.activate", route: "POST /private-endpoints/{id}/activate" },
  { name: "privateEndpoints.disable", route: "POST /private-endpoints/{id}/disable" },
  { name: "privateEndpoints.enable", route: "POST /private-endpoints/{id}/enable" },
  { name: "privateEndpoints.updatePricing", route: "PUT /private-endpoints/{id}/pricing" },
  { name: "privateProviders.list", route: "GET /private-providers" },
  { name: "privateProviders.create", route: "POST /private-providers" },
  { name: "privateProviders.get", route: "GET /private-providers/{slug}" },
  { name: "privateProviders.update", route: "PATCH /private-providers/{slug}" },
  { name: "privateProviders.delete", route: "DELETE /private-providers/{slug}" },
  // Of one shape under both names.
  ...(["endUsers /end-users", "externalUsers /external-users"] as const).flatMap((each) => {
    const [noun, path] = each.split(" ")
    return [
      { name: `${noun}.list`, route: `GET ${path}` },
      { name: `${noun}.create`, route: `POST ${path}` },
      { name: `${noun}.get`, route: `GET ${path}/{user}` },
      { name: `${noun}.update`, route: `PATCH ${path}/{user}` },
      { name: `${noun}.delete`, route: `DELETE ${path}/{user}` }
    ]
  }),
  { name: "tools.listTools", route: "GET /tools", why: entitled },
  { name: "tools.getTool", route: "GET /tools/{name}", why: entitled },
  ...(
    [
      ["createTools", "POST /tools"],
      ["updateTools", "PATCH /tools/{fullName}"],
      ["createToolsArchive", "POST /tools/{fullName}/archive"],
      ["createToolsUnarchive", "POST /tools/{fullName}/unarchive"],
      ["createToolsGrants", "POST /tools/{fullName}/grants"],
      ["deleteToolsGrants", "DELETE /tools/{fullName}/grants/{userId}"],
      ["createToolsUserConfig", "POST /tools/{fullName}/user-config"],
      ["createToolsWebhookSecret", "POST /tools/{fullName}/webhook-secret"],
      ["listToolsAvailability", "GET /tools/availability"],
      ["listToolsTypes", "GET /tools/types"],
      ["listMeToolGrants", "GET /me/tool-grants"]
    ] as const
  ).map(([name, route]) => ({ name: `tools.${name}`, route, why: draft }))
]

/** What the table of newer methods says and the operations do not, and methods that the installed client has by now. */
export const wrongNewer = (): readonly string[] =>
  newer
    .filter(
      (method) =>
        (operationOf(method) === undefined) !== (method.why !== undefined) ||
        clientMethods.some(({ name }) => name === method.name)
    )
    .map(({ name }) => name)

/** Protocols and documents of their own, whose clients may add parameters that Gatewarden need not know. */
const ofOthers = /^\/(?:scim\/v2\/|\.well-known\/|openapi\.json$)/

/** Operations that the public API does not have and that do not say so, or that say so and are in it. */
export const wronglyOwned = (): readonly string[] => {
  const published = new Set([...clientMethods, ...newer].map(({ route }) => withoutNames(route ?? "")))
  return shapes
    .filter((shape) => {
      const { method, path, alias = path } = shape
      const isPublic = [path, alias].some((each) => published.has(withoutNames(`${method} ${each}`)))
      return !ofOthers.test(path) && isPublic === isOwnOperation(shape)
    })
    .map(({ id }) => id)
}

const isAnswered = (method: ClientMethod) => operationOf(method) !== undefined

/** Methods that an operation answers and that no test calls with the client, so nobody knows whether it reads the answer. */
export const uncalledMethods = (): readonly string[] =>
  clientMethods.filter((method) => isAnswered(method) && !isCalled(method.name)).map(({ name }) => name)

export const compatibility = (): string => {
  const answered = clientMethods.filter(isAnswered)
  const left = clientMethods.filter((method) => !isAnswered(method) && reasonFor(method) !== undefined)
  const missing = missingMethods()
  return page(
    "Compatibility",
    `Methods of \`@openrouter/sdk\` ${version()}: Gatewarden answers ${answered.length} of ${clientMethods.length}, and leaves ${left.length} to the gateway or to others. The client is not modified: give it the address of your server as \`serverURL\`. [\`GATEWARDEN_WIRE\`](variables.md) says in which form it answers.`,
    "## Answered",
    "`called with` is the version of the client with which a test calls the method on a running server.",
    table(
      ["method", "request", "operation", "called with"],
      answered.map((method) => [
        code(method.name),
        code(method.route ?? ""),
        code(operationOf(method) ?? ""),
        isCalled(method.name) ? version() : "none"
      ])
    ),
    "## Out of scope",
    table(
      ["method", "request", "why"],
      left.map((method) => [
        code(method.name),
        method.route === undefined ? "none" : code(method.route),
        reasonFor(method) ?? ""
      ])
    ),
    `## Newer than ${version()}`,
    "The public API has these requests, and the client above does not have them yet. Sources: [decision 0012](../decisions/0012-public-api-of-today.md).",
    table(
      ["method", "request", "operation, or why not"],
      newer.map((method) => {
        const id = operationOf(method)
        return [code(method.name), code(method.route), id === undefined ? (method.why ?? "") : code(id)]
      })
    ),
    missing.length === 0 ? "" : `## Not yet\n\n${missing.map((each) => `- ${code(each)}`).join("\n")}`,
    ...terraform()
  )
}
