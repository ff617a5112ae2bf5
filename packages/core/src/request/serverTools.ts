/**
 * The server tools and plugins of a request, and the maximum number of their uses.
 *
 * Rule: money#server-tools.
 */
import type { CatalogEndpoint } from "@gatewarden/contract"
import { isKnownPrice, unitsOf } from "../value/money.ts"
import { ofTheClient } from "./modelInput.ts"
import { type Fields, foldedField, foldedFields, hasFurtherFields, isObject, requestLevels } from "./requestFields.ts"

export interface ServerTool {
  /** The path in the request: `tools.0`, `plugins.1`, `web_search_options`. */
  readonly field: string
  /** The tool's type, or the plugin's id. */
  readonly name: string
  /** The most uses that the request declares; `null`: it declares none. */
  readonly most: number | null
  /** The models that it names, to be asked besides that of the request; absent if none. */
  readonly models?: readonly string[]
}

/** Tools are found one after the other: a request may have very many, and is refused after a few. */
type Found = Generator<ServerTool, void>

function* objectsIn(value: unknown): Generator<readonly [number, Fields], void> {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) if (isObject(item)) yield [index, item]
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 1

/**
 * The largest of the declared counts, because the provider decides which of them it reads. `null` if none is declared, or if one is no
 * count: a provider may read 0, or a text, as no limit.
 */
const countIn = (...values: readonly unknown[]): number | null => {
  const declared = values.filter((value) => value != null)
  return declared.length > 0 && declared.every(isCount) ? Math.max(...declared) : null
}

/** `model`, `models`, `judge_model`, `allowed_models`, in any spelling. */
const isModelField = (name: string): boolean => /models?$/.test(foldedField(name))

/** Tools that a provider runs and that requests name by a member: `{ "google_search": {} }`. */
const untyped = foldedFields(
  "google_search google_search_retrieval enterprise_web_search google_maps web_search url_context code_execution computer_use file_search retrieval"
)

/** Such tools in an object, of whatever type else. There may be several in one. */
const toolsByName = (tool: Fields): readonly string[] =>
  Object.keys(tool).filter((name) => tool[name] != null && untyped.has(foldedField(name)) && name !== tool["type"])

/** Some providers read `Type`, too. */
const typesOf = (tool: Fields): readonly unknown[] =>
  Object.keys(tool)
    .filter((name) => name.toLowerCase() === "type")
    .map((name) => tool[name])

/** A tool that the client runs: its fields are a schema, and name no models. */
const isOfClient = (tool: unknown): boolean =>
  isObject(tool) && typesOf(tool).every((type) => ofTheClient.has(type)) && toolsByName(tool).length === 0

/**
 * The models that a tool names, at any depth: `{ "judge": { "model": … } }`, `{ "model": { "id": … } }`. `elsewhere`: lists of tools in it
 * that are looked at by themselves.
 */
const modelsIn = (tool: unknown, ...elsewhere: readonly unknown[]): Pick<ServerTool, "models"> => {
  const models: string[] = []
  const open: (readonly [value: unknown, isModel: boolean])[] = [[tool, false]]
  // The list grows as it is read.
  for (const [value, isModel] of open)
    if (Array.isArray(value)) for (const one of value) open.push([one, isModel])
    else if (!isObject(value)) {
      if (isModel && value != null && value !== "") models.push(String(value))
    } else
      for (const name in value) {
        const field = value[name]
        if (isModel || name !== "tools" || !Array.isArray(field)) open.push([field, isModel || isModelField(name)])
        else if (!elsewhere.includes(field))
          for (const given of field) if (!isOfClient(given)) open.push([given, false])
      }
  return models.length === 0 ? {} : { models }
}

/** With those that a tool contains: a namespace is a list of tools, and some server tools give tools to the models that they ask. */
function* toolsIn(list: unknown, path: string, most: number | null): Found {
  const open: (readonly [unknown, string])[] = [[list, path]]
  // No recursion, because a request nests as deep as it likes.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [tools, at] = next
    for (const [index, tool] of objectsIn(tools)) {
      const { max_uses, parameters, tools: inner } = tool
      const field = `${at}.${index}`
      for (const name of toolsByName(tool)) yield { field, name, most, ...modelsIn(tool[name]) }
      if (Array.isArray(inner)) open.push([inner, `${field}.tools`])
      const types = typesOf(tool).filter((type) => !ofTheClient.has(type))
      if (types.length === 0) continue
      const declared = isObject(parameters) ? parameters : {}
      open.push([declared["tools"], `${field}.parameters.tools`])
      const uses = countIn(max_uses, declared["max_uses"], declared["max_total_results"])
      const models = modelsIn(tool, inner, declared["tools"])
      for (const type of types) yield { field, name: String(type), most: uses ?? most, ...models }
    }
  }
}

/** Of items or messages that bring further tools, themselves or in their content. There may be very many that bring none. */
function* toolsOfItems(list: unknown, path: string, most: number | null): Found {
  if (!Array.isArray(list)) return
  for (const [index, item] of list.entries()) {
    if (!isObject(item)) continue
    const { tools, content } = item
    if (tools !== undefined) yield* toolsIn(tools, `${path}.${index}.tools`, most)
    if (!Array.isArray(content)) continue
    for (const [place, part] of content.entries())
      if (isObject(part) && part["tools"] !== undefined)
        yield* toolsIn(part["tools"], `${path}.${index}.content.${place}.tools`, most)
  }
}

/** Some providers read `Enabled`, too. */
const isSwitchedOff = (plugin: Fields): boolean =>
  plugin["enabled"] === false &&
  Object.keys(plugin).every((name) => name.toLowerCase() !== "enabled" || plugin[name] === false)

function* pluginsIn(list: unknown, path: string, most: number | null): Found {
  for (const [index, plugin] of objectsIn(list)) {
    const { id, max_uses, max_results, tools: inner } = plugin
    if (isSwitchedOff(plugin)) continue
    const field = `${path}.${index}`
    // The plugin `web`, however it is spelled, reads `max_results` alone.
    const uses = spelled(String(id)) === "web" ? countIn(max_results) : countIn(max_uses, max_results)
    yield { field, name: String(id), most: uses ?? most, ...modelsIn(plugin, inner) }
    yield* toolsIn(inner, `${field}.tools`, most)
  }
}

/** Fields that switch on a billed web search at some providers, and which of their values switch it off. */
const searchSwitches: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  Object.entries({
    // Whatever it is: who reads it may take it for a wish to search.
    web_search_options: () => false,
    search_parameters: (value: unknown) => isObject(value) && value["mode"] === "off",
    enable_search: (value: unknown) => value === false,
    web_search: (value: unknown) => value === false
  })
)

/** Groq's: the names of its tools, in `tools.enabled_tools`, and models of its own, in `models`. */
function* enabledIn(value: unknown, field: string, most: number | null): Found {
  const tools = isObject(value) ? value["tools"] : undefined
  const enabled: unknown = isObject(tools) ? tools["enabled_tools"] : undefined
  const named = modelsIn(value)
  const names: readonly unknown[] = Array.isArray(enabled) ? enabled : []
  for (const name of names) yield { field, name: String(name), most, ...named }
  // Models that are asked without a tool are asked, too, at a price that nobody knows.
  if (names.length === 0 && named.models !== undefined) yield { field, name: "compound_custom", most, ...named }
}

/** Some providers read names of fields whatever their case. */
function* toolsOfField(name: string, value: unknown, field: string, most: number | null): Found {
  switch (name) {
    case "tools":
    case "functions":
      return yield* toolsIn(value, field, most)
    case "input":
      return yield* toolsOfItems(value, field, most)
    case "plugins":
      return yield* pluginsIn(value, field, most)
    case "compound_custom":
      return yield* enabledIn(value, field, most)
  }
  const isOff = searchSwitches.get(name)
  if (isOff === undefined || value == null || isOff(value)) return
  const { max_uses = null, max_search_results = null } = isObject(value) ? value : {}
  yield { field, name: "web_search", most: countIn(max_uses, max_search_results) ?? most, ...modelsIn(value) }
}

const isFieldOfTools = (name: string): boolean => searchSwitches.has(name.toLowerCase()) || hasFurtherFields(name)

/** Whether a field has server tools, by its path. */
export const isToolField = (path: string): boolean =>
  /^(?:tools|functions|input|messages|plugins|compound_custom)(?:\.|$)/i.test(path) ||
  isFieldOfTools(path.split(".", 1)[0] ?? "")

function* allTools(fields: Fields, messages: readonly object[] | null): Found {
  const most = countIn(fields["max_tool_calls"])
  for (const [level, path] of requestLevels(fields))
    for (const name in level) yield* toolsOfField(name.toLowerCase(), level[name], `${path}${name}`, most)
  yield* toolsOfItems(messages, "messages", most)
}

/** Of a request: each is compared with those that are disabled, and priced at each endpoint. */
export const mostServerTools = 32

/** One more than a request may have, at most. */
export const serverToolsOf = (fields: Fields, messages: readonly object[] | null = null): readonly ServerTool[] => {
  const found: ServerTool[] = []
  for (const tool of allTools(fields, messages)) {
    found.push(tool)
    if (found.length > mostServerTools) break
  }
  return found.length === 0 ? none : found
}

const none: readonly ServerTool[] = []

/** `web`, `openrouter:web_search`, `web_search_preview`, `web_search_20250305`. */
export const isWebSearch = (name: string): boolean => /^(?:web|(?:openrouter:)?web_search(?:_\w+)?)$/.test(name)

/** No tool has a longer name, and some expressions take the square of a name's length. */
const longestName = 128

/** One character may become eighteen: no tool has so many that are not ASCII. */
const longestForeignName = 32

/** A name in one spelling: `Web-Search`, `webSearch` and ` web_search` are `web_search`. */
const spelled = (name: string): string => {
  if (/^[a-z]+(?:_[a-z]+)*$/.test(name)) return name
  const joined = name.replace(/[\s_-]+/g, "_").replace(/^_|_$/g, "")
  if (joined.length > longestName || (joined.length > longestForeignName && /[^ -~]/.test(joined)))
    return joined.toLowerCase()
  return joined
    .normalize("NFKC")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[\s_-]+/g, "_")
    .replace(/^_|_$/g, "")
}

/** Further names of kinds of tools: those of other providers, and of plugins. */
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    web_search: "websearch browser_search google_search google_search_retrieval enterprise_web_search exa exa_search",
    web_fetch: "webfetch url_context visit_website"
  }).flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind] as const))
)

/**
 * The kind of a tool, whichever of its names a request has: `openrouter:web_fetch`, `web_fetch_20250910` and the plugin `web-fetch` are
 * `web_fetch`.
 *
 * Rule: workspaces#server-tools.
 */
export const kindOfTool = (name: string): string => {
  const bare = spelled(name).replace(/^open_?router_?:_?/, "")
  if (isWebSearch(bare)) return "web_search"
  if (bare.length > longestName) return bare
  const kind = bare.replace(/(?:_preview)?(?:_\d[\d_]*)?$/, "")
  return aliases.get(kind) ?? (kind.startsWith("tool_search_tool_") ? "tool_search" : kind)
}

/** Whether two names are of one kind of tool. */
export const isSameTool = (one: string, other: string): boolean => kindOfTool(one) === kindOfTool(other)

type ToolPrices = Pick<CatalogEndpoint, "pricing" | "server_tool_prices">

/** `undefined` where nobody knows. */
export const searchPrice = ({ pricing: { web_search } }: ToolPrices): bigint | undefined =>
  web_search !== undefined && isKnownPrice(web_search) ? unitsOf(web_search) : undefined

/**
 * Tools that the provider describes to the model and the client runs: only their description counts, which may fill the context. `shell`
 * is not among them, because it may run in a container of the provider.
 */
const describedByProvider =
  /^(?:local_shell|apply_patch|computer|computer_use_preview|namespace|(?:bash|text_editor|computer|memory)_\d{8})$/

export const isRunByClient = (name: string): boolean => describedByProvider.test(name)

/** The price of one use at an endpoint; `undefined` if unknown. */
export const toolPrice = (endpoint: ToolPrices, name: string): bigint | undefined => {
  if (isWebSearch(name)) return searchPrice(endpoint)
  const prices = endpoint.server_tool_prices
  if (prices !== undefined && Object.hasOwn(prices, name)) return unitsOf(prices[name] ?? "0")
  return isRunByClient(name) ? 0n : undefined
}
