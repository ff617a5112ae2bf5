/**
 * A request with its preset resolved, which is the input of a decision. Rule: presets#references, admissions#decision.
 *
 * A preset is stored without a check of what it asks, so that its preferences are checked here: one that cannot be read might be a restriction.
 */
import { type ChatMessage, type CreateAdmission, type PresetVersion, ProviderPreferences } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import type { VisibleModel } from "../catalog/ownModels.ts"
import { DecisionCache, presetPlace } from "../policy/DecisionCache.ts"
import { readModel } from "../ports/models.ts"
import { Presets } from "../ports/presets.ts"
import { mergePreset } from "../preset/mergePreset.ts"
import { presetReference } from "../preset/presetReference.ts"
import { withSystemPrompt } from "../preset/systemPrompt.ts"
import {
  type SentField,
  dearTier,
  type Fields,
  fieldsFor,
  fieldsNamed,
  foldedFields,
  modelFields,
  type NamedField,
  passedOnFields,
  tierFields
} from "../request/requestFields.ts"

export interface ResolvedRequest {
  /** Names in the order of preference: the model, then its fallbacks; the workspace's default if the request names none. */
  readonly models: readonly string[]
  /** With the workspace's sort order if the request has none. */
  readonly provider: ProviderPreferences
  /** The parameters that are sent, by the names that endpoints list in `supported_parameters`. */
  readonly parameters: readonly string[]
  readonly messages: readonly ChatMessage[] | null
  readonly max_completion_tokens: number | null
  /** How many answers. */
  readonly n: number
  /** The most tokens of completion that another field than the grant replaces asks for; 0 if none does. */
  readonly further_completion_tokens: number
  /** `null`: the list price applies. */
  readonly tier: SentField | null
  readonly modalities: readonly string[] | null
  /** All other fields of the preset and the request that are sent to a model, apart from the messages. */
  readonly fields: Fields
  /** Fields that no model reads and that are sent to the provider. */
  readonly passed_on: Fields
  /** The fields of the preset and the request together, for the data plane to send; `null` without a preset. */
  readonly merged: Readonly<Record<string, unknown>> | null
  /** Of the preset; `null` without one. */
  readonly preset_version: number | null
}

export type Resolution =
  | { readonly kind: "resolved"; readonly request: ResolvedRequest }
  | { readonly kind: "malformed"; readonly field: string; readonly value: unknown }
  | { readonly kind: "missing"; readonly preset: string }

/** A request without the fields that are for Gatewarden alone; includes fields that the contract does not name. */
type Asked = Omit<CreateAdmission, "api_key_hash">

const supportableParameters = fieldsFor("parameter")

const isText = (value: unknown): value is string => typeof value === "string"

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)]

const tokensOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : null

/** The first of the field's spellings that sets the completion limit. */
const completionTokens = (fields: Readonly<Record<string, unknown>>): number | null =>
  tokensOf(fields["max_completion_tokens"]) ?? tokensOf(fields["max_tokens"])

/** Names of the number of answers at any provider. */
const answerFields = foldedFields(
  "n best_of num_return_sequences num_images num_images_per_prompt number_of_images image_count num_outputs num_generations " +
    "num_completions num_samples sample_count candidate_count batch_size"
)

/** Names of the limit of a completion at any provider. */
const limitFields = foldedFields(
  "max_tokens max_completion_tokens max_output_tokens max_new_tokens max_generated_tokens max_tokens_to_sample max_gen_len max_length " +
    "num_predict n_predict"
)

const modelFieldNames = foldedFields("model models")

const readFields = new Set([...answerFields, ...limitFields, ...modelFieldNames, ...tierFields])

/** Some providers read a text as a number. */
const numberIn = (sent: unknown): number => (typeof sent === "number" || isText(sent) ? Math.ceil(Number(sent)) : NaN)

/** The largest of some counts, because the provider decides which of them it reads. */
const mostOf = (counts: readonly number[], least: number): number =>
  Math.min(
    counts.reduce((most, count) => (count > most ? count : most), least),
    Number.MAX_SAFE_INTEGER
  )

const valuesOf = (named: readonly NamedField[], names: ReadonlySet<string>): readonly NamedField[] =>
  named.filter(([, name]) => names.has(name))

/** How many answers a provider may bill. Rule: money#holds. */
const answersOf = (named: readonly NamedField[]): number =>
  mostOf(
    valuesOf(named, answerFields).map(([, , value]) => numberIn(value)),
    1
  )

/** Of limits that the grant does not replace. What is no count may mean that there is no limit. */
const furtherTokens = (named: readonly NamedField[]): number =>
  mostOf(
    valuesOf(named, limitFields).flatMap(([path, , value]) =>
      path === "max_tokens" || path === "max_completion_tokens"
        ? []
        : [numberIn(value) >= 1 ? numberIn(value) : Infinity]
    ),
    0
  )

/**
 * A model that is not named where policies look for it. A provider may read it instead of the candidate's, so the request's own is none of
 * the exceptions: a guardrail may leave a fallback alone.
 */
const hiddenModel = (named: readonly NamedField[]): SentField | undefined => {
  const hidden = valuesOf(named, modelFieldNames).find(
    ([path, , value]) =>
      path !== "model" && path !== "models" && value !== "" && !(Array.isArray(value) && value.length === 0)
  )
  return hidden && { field: hidden[0], value: hidden[2] }
}

const mostModels = 100

/** Why the fields of a preset and a request cannot be asked together; each request is held to it by its contract. */
const malformedIn = (fields: Fields, models: readonly string[]): SentField | undefined => {
  if (models.length > mostModels) return { field: "models", value: models.length }
  const read = ProviderPreferences.safeParse(fields["provider"] ?? {})
  if (read.success) return undefined
  const [name] = read.error.issues[0]?.path ?? []
  return name === undefined
    ? { field: "provider", value: fields["provider"] }
    : { field: `provider.${String(name)}`, value: Reflect.get(fields["provider"] as object, name) }
}

/** Defaults of a workspace for requests without the field; `""`: none. */
export interface WorkspaceDefaults {
  readonly default_text_model: string
  readonly default_provider_sort: string
}

const namedModels = (fields: Readonly<Record<string, unknown>>): readonly string[] => {
  const models = Array.isArray(fields["models"]) ? fields["models"].filter(isText) : []
  return distinct([...(isText(fields["model"]) && fields["model"] !== "" ? [fields["model"]] : []), ...models])
}

/** The request's own `order` takes precedence over sorting. */
const sorted = (preferences: ProviderPreferences, { default_provider_sort }: WorkspaceDefaults): ProviderPreferences =>
  default_provider_sort === "" || preferences.sort != null || (preferences.order ?? []).length > 0
    ? preferences
    : { ...preferences, ...ProviderPreferences.safeParse({ sort: default_provider_sort }).data }

const fromFields = (
  fields: Readonly<Record<string, unknown>>,
  named: readonly NamedField[],
  messages: readonly ChatMessage[] | null,
  defaults: WorkspaceDefaults
): Omit<ResolvedRequest, "merged" | "passed_on" | "preset_version"> => {
  const models = namedModels(fields)
  const { modalities } = fields
  return {
    models: models.length === 0 && defaults.default_text_model !== "" ? [defaults.default_text_model] : models,
    provider: sorted(ProviderPreferences.safeParse(fields["provider"] ?? {}).data ?? {}, defaults),
    parameters: supportableParameters.filter((parameter) => fields[parameter] != null),
    messages,
    max_completion_tokens: completionTokens(fields),
    n: answersOf(named),
    further_completion_tokens: furtherTokens(named),
    tier: dearTier(named),
    modalities: Array.isArray(modalities) ? modalities.filter(isText) : null,
    fields: modelFields(fields)
  }
}

const presetVersion = Effect.fnUntraced(function* (
  account_id: string,
  workspace_id: string,
  slug: string,
  version: number | null
) {
  const { presets: cache } = yield* DecisionCache
  return yield* cache.get(
    presetPlace(workspace_id, slug, version),
    Effect.gen(function* () {
      const presets = yield* Presets
      if (version !== null) return yield* presets.findVersion(account_id, workspace_id, slug, version)
      const found = yield* presets.find(account_id, workspace_id, slug)
      return Option.map(found, (preset): PresetVersion => preset.designated_version)
    }),
    account_id
  )
})

const ours: ReadonlySet<string> = new Set(fieldsFor("gateway"))

/** `undefined` and `null` both count as absent. */
const sentFields = (asked: Asked): Record<string, unknown> =>
  Object.fromEntries(Object.entries(asked).filter(([field, value]) => value != null && !ours.has(field)))

/** The caller of a data plane is named by its request alone, and goes on with it. */
const passedOn = (fields: Fields, { user, session_id }: Asked): Fields =>
  passedOnFields({ ...fields, user, session_id })

/** `known_version`: that its preset had when it was asked first; for a new request it is `null`. */
export const resolveRequest = Effect.fnUntraced(function* (
  account_id: string,
  workspace_id: string,
  asked: Asked,
  defaults: WorkspaceDefaults,
  known_version: number | null
) {
  const fields = sentFields(asked)
  const messages = asked.messages ?? null
  const reference = presetReference({ model: asked.model ?? undefined, preset: asked.preset ?? undefined })
  if (reference.kind === "malformed")
    return { kind: "malformed", field: reference.field, value: asked[reference.field] } satisfies Resolution
  const named = fieldsNamed(fields, readFields)
  const hidden = hiddenModel(named)
  if (hidden !== undefined) return { kind: "malformed", ...hidden } satisfies Resolution
  if (reference.kind === "none")
    return {
      kind: "resolved",
      request: {
        passed_on: passedOn(fields, asked),
        merged: null,
        preset_version: null,
        ...fromFields(fields, named, messages, defaults)
      }
    } satisfies Resolution
  const { slug } = reference.reference
  const version = reference.reference.version ?? known_version
  const found = yield* presetVersion(account_id, workspace_id, slug, version)
  if (Option.isNone(found))
    return { kind: "missing", preset: version === null ? slug : `${slug}:${version}` } satisfies Resolution
  const merged = mergePreset(found.value.config, fields, reference.reference)
  const malformed = malformedIn(merged, namedModels(merged))
  if (malformed !== undefined) return { kind: "malformed", ...malformed } satisfies Resolution
  const prompted = messages === null ? null : withSystemPrompt(messages, found.value.system_prompt)
  return {
    kind: "resolved",
    request: {
      passed_on: passedOn(merged, asked),
      merged,
      preset_version: found.value.version,
      ...fromFields(merged, fieldsNamed(merged, readFields), prompted, defaults)
    }
  } satisfies Resolution
})

/** The catalog's entries for the models of a request, in its order, each once. Unknown names are skipped. */
export const requestedModels = Effect.fnUntraced(function* (account_id: string, names: readonly string[]) {
  const { models } = yield* DecisionCache
  const found: VisibleModel[] = []
  for (const name of names) {
    const model = yield* models.share(name, readModel(account_id, name), account_id)
    if (model !== undefined && !found.some(({ id }) => id === model.id)) found.push(model)
  }
  return found
})
