/**
 * A request together with the preset that it refers to.
 *
 * Rule: presets#merge. The merge is shallow: a field of the request replaces the preset's field as a whole, and other fields of the preset
 * stay. Tools are merged: the preset's first, each replaced if the request defines the same tool, then the request's other tools.
 */
import type { PresetReference } from "./presetReference.ts"

type Fields = Readonly<Record<string, unknown>>

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined

/** Server tools that a request may have several times, distinguished by name. */
const namedTools: ReadonlySet<unknown> = new Set(["openrouter:advisor", "openrouter:subagent"])

/** Identifies a tool: a function's name, a named server tool's type and name, another's type. */
export const toolIdentity = (tool: unknown): string => {
  const type = fieldOf(tool, "type")
  if (typeof type !== "string") return JSON.stringify([null, tool])
  if (type === "function") return JSON.stringify([type, fieldOf(fieldOf(tool, "function"), "name")])
  if (namedTools.has(type)) return JSON.stringify([type, fieldOf(fieldOf(tool, "parameters"), "name")])
  return JSON.stringify([type])
}

const unitedTools = (kept: unknown, sent: unknown): unknown => {
  if (!Array.isArray(kept) || !Array.isArray(sent)) return sent
  const tools = new Map<string, unknown>()
  // Setting a key again keeps its position in the map.
  for (const tool of [...kept, ...sent]) tools.set(toolIdentity(tool), tool)
  return [...tools.values()]
}

/**
 * Merges a request with the preset that it refers to, for hosts that resolve presets themselves. `admit` does the same in `merged`.
 *
 * @param config the `config` of the preset's version
 * @param request the fields that the client sent; they win over those of the preset, and `tools` are united
 * @param reference the model that the reference resolves to
 * @returns the fields for the upstream, without `preset`
 * @throws nothing
 * @example
 * const fields = mergePreset({ temperature: 0 }, { model: "acme/sonnet@preset/support", messages }, { model: "acme/sonnet" })
 */
export const mergePreset = (
  config: Fields,
  request: Fields,
  reference: Pick<PresetReference, "model">
): Record<string, unknown> => {
  const { model } = reference
  const { model: _, preset: __, ...sent } = request
  const own = Object.entries({ ...sent, model }).filter(([, value]) => value !== undefined)
  const merged = new Map([...Object.entries(config), ...own])
  if (Array.isArray(sent["tools"])) merged.set("tools", unitedTools(config["tools"], sent["tools"]))
  return Object.fromEntries(merged)
}
