/**
 * The fields of a request and what each is used for. A field without a row is sent to the model, and its size counts.
 *
 * Rule: presets#kept-fields, presets#merge, money#upper-bound, content-filters#what-filters-see, admissions#decision.
 */
import { BadRequest } from "../value/failure.ts"
import { maxJsonDepth } from "../value/parseJson.ts"

/**
 * - `preset`: a preset keeps it.
 * - `parameter`: endpoints list it in `supported_parameters`.
 * - `control`: the model does not read it. It chooses an endpoint, or limits or describes the answer.
 * - `upstream`: the model does not read it, but the upstream provider receives it.
 * - `gateway`: it is not merged with the fields of a preset, and is no field of the model: the gateway reads it (the messages, which
 *   the model is sent, are counted and filtered on their own), or it belongs to a single request.
 */
type FieldUse = "preset" | "parameter" | "control" | "upstream" | "gateway"

const uses = {
  model: ["preset", "control"],
  models: ["preset", "control"],
  temperature: ["preset", "parameter", "control"],
  top_p: ["preset", "parameter", "control"],
  top_k: ["preset", "parameter", "control"],
  top_a: ["preset", "parameter", "control"],
  min_p: ["preset", "parameter", "control"],
  frequency_penalty: ["preset", "parameter", "control"],
  presence_penalty: ["preset", "parameter", "control"],
  repetition_penalty: ["preset", "parameter", "control"],
  seed: ["preset", "parameter", "control"],
  stop: ["preset", "parameter"],
  max_tokens: ["preset", "control"],
  max_completion_tokens: ["preset", "control"],
  logit_bias: ["preset", "parameter", "upstream"],
  logprobs: ["preset", "parameter", "control"],
  top_logprobs: ["preset", "parameter", "control"],
  response_format: ["preset", "parameter"],
  structured_outputs: ["parameter"],
  tools: ["preset", "parameter"],
  tool_choice: ["preset", "parameter"],
  parallel_tool_calls: ["preset", "parameter", "control"],
  stop_server_tools_when: ["preset", "upstream"],
  modalities: ["preset", "control"],
  reasoning: ["preset", "parameter"],
  reasoning_effort: ["preset", "parameter"],
  verbosity: ["parameter"],
  web_search_options: ["parameter"],
  provider: ["preset", "control"],
  route: ["preset", "control"],
  plugins: ["preset"],
  service_tier: ["preset", "control"],
  cache_control: ["preset"],
  image_config: ["preset"],
  n: ["control"],
  stream_options: ["control"],
  debug: ["control"],
  metadata: ["upstream"],
  trace: ["upstream"],
  user: ["upstream", "gateway"],
  session_id: ["upstream", "gateway"],
  messages: ["gateway"],
  stream: ["gateway"],
  preset: ["gateway"],
  api_key: ["gateway"],
  api_key_hash: ["gateway"],
  ingress_region: ["gateway"],
  hold_seconds: ["gateway"],
  on_expiry: ["gateway"],
  max_cost_usd: ["gateway"],
  extra_prompt_bytes: ["gateway"],
  reversible_redaction: ["gateway"],
  guardrail: ["gateway"],
  replay: ["gateway"]
} as const satisfies Readonly<Record<string, readonly FieldUse[]>>

type RequestField = keyof typeof uses

/** The fields with this use, in the order of the table. */
export const fieldsFor = (use: FieldUse): readonly RequestField[] =>
  (Object.keys(uses) as RequestField[]).filter((field) => (uses[field] as readonly FieldUse[]).includes(use))

export type Fields = Readonly<Record<string, unknown>>

const passedOn: ReadonlySet<string> = new Set(fieldsFor("upstream"))

const notForTheModel: ReadonlySet<string> = new Set([...passedOn, ...fieldsFor("control"), ...fieldsFor("gateway")])

const fieldsThat = (request: Fields, isKept: (name: string) => boolean): Fields =>
  Object.fromEntries(
    Object.entries(request).filter(([name, value]) => value !== undefined && value !== null && isKept(name))
  )

/** The fields that are sent to a model in addition to the messages, with their values; `null` counts as absent. */
export const modelFields = (request: Fields): Fields => fieldsThat(request, (name) => !notForTheModel.has(name))

/** Further fields that the upstream provider receives: no budget holds anything for them, and filters read them. */
export const passedOnFields = (request: Fields): Fields => fieldsThat(request, (name) => passedOn.has(name))

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** No field that is looked for has a longer name. */
const longestField = 40

/** The name of a field in one spelling: `maxTokens`, `Max-Tokens` and `max_tokens` are one. A request has many names: it costs next to nothing. */
export const foldedField = (name: string): string =>
  name.length > longestField ? "" : name.toLowerCase().replace(/[\s_-]+/g, "")

/** The names of a text, between blanks, as `foldedField` has them. */
export const foldedFields = (names: string): ReadonlySet<string> => new Set(names.split(" ").map(foldedField))

/** Objects that some providers read as further fields of the request. */
const furtherFields = foldedFields(
  "extra_body google parameters generation_config options config inference_config model_kwargs additional_model_request_fields"
)

/** Some providers read the names of fields in any case. */
export const hasFurtherFields = (name: string): boolean => furtherFields.has(foldedField(name))

/** The request and the objects in it that some providers read as further fields, each with the path that its fields begin with. */
export const requestLevels = (fields: Fields): readonly (readonly [level: Fields, path: string])[] => {
  const levels: (readonly [Fields, string])[] = [[fields, ""]]
  // The list grows while it is read: such an object may contain another one.
  for (const [level, path] of levels)
    for (const name in level) {
      const value = level[name]
      if (isObject(value) && hasFurtherFields(name)) levels.push([value, `${path}${name}.`])
    }
  return levels
}

/** A field of a request by its path, its name as `foldedField` has it, and its value. */
export type NamedField = readonly [path: string, name: string, value: unknown]

/** Fields with one of the names, in any spelling, of the request, of an object in `input`, and of the objects that some providers read as further fields. */
export const fieldsNamed = (fields: Fields, names: ReadonlySet<string>): readonly NamedField[] => {
  const { input } = fields
  const found: NamedField[] = []
  for (const [within, all] of [
    ["", fields],
    ["input.", input]
  ] as const)
    if (isObject(all))
      for (const [level, path] of requestLevels(all))
        for (const field in level) {
          const name = foldedField(field)
          if (names.has(name) && level[field] != null) found.push([`${within}${path}${field}`, name, level[field]])
        }
  return found
}

/** Service tiers at the listed price, or below. */
const listedTiers: ReadonlySet<string> = new Set("auto default standard standard_only flex on_demand batch".split(" "))

const isListedTier = (value: unknown): boolean => typeof value === "string" && listedTiers.has(value.toLowerCase())

/** Fields with which a request chooses how it is served, and which of their values cost no more than the list price. */
const tiers: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  Object.entries({
    service_tier: isListedTier,
    // A number is that of a voice.
    speed: (value: unknown) => Number.isFinite(Number(value)) || isListedTier(value),
    inference_geo: (value: unknown) => value === "global",
    performance_config: (value: unknown) => isObject(value) && isListedTier(value["latency"] ?? "standard")
  }).map(([name, isListed]) => [foldedField(name), isListed])
)

export const tierFields: ReadonlySet<string> = new Set(tiers.keys())

/** A field as it was sent. */
export interface SentField {
  /** Its path in the request. */
  readonly field: string
  readonly value: unknown
}

/** The first choice of the request that may cost more than the list price. Rule: money#cost-of-usage. */
export const dearTier = (named: readonly NamedField[]): SentField | null => {
  const dear = named.find(([, name, value]) => tiers.get(name)?.(value) === false)
  return dear === undefined ? null : { field: dear[0], value: dear[2] }
}

/** Whether a request chooses a tier in a field, by its path. */
export const isTierField = (path: string): boolean => tiers.has(foldedField(path.slice(path.lastIndexOf(".") + 1)))

/** Containers that are looked into in one step. */
const lookedAtOnce = 10_000

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null

/** The first field that nests deeper; no recursion. Other requests may run between two steps. */
export function* tooDeepField(request: object): Generator<void, string | undefined> {
  let looked = 0
  for (const [field, sent] of Object.entries(request)) {
    let level: readonly unknown[] = [sent]
    // The request itself is the outermost object.
    for (let depth = 1; level.length > 0; depth++) {
      const inner: unknown[] = []
      for (const value of level) {
        if (!isContainer(value)) continue
        if (depth === maxJsonDepth) return field
        for (const member of Array.isArray(value) ? value : Object.values(value))
          if (isContainer(member)) inner.push(member)
        if (++looked % lookedAtOnce === 0) yield
      }
      level = inner
    }
  }
  return undefined
}

/**
 * Finds values that nest deeper than any body may. Those of a body were read by `parseJson`; a host in process passes what it likes.
 *
 * Rule: requests#json-bodies.
 */
export const tooDeep = (field: string) =>
  new BadRequest({
    reason: "invalid_request",
    issues: [{ path: field, code: "too_deep", message: `More than ${maxJsonDepth} nested objects and arrays` }]
  })
