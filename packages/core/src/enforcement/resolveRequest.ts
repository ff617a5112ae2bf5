/**
 * A request with its preset resolved: what is decided on. Source: decisions 12 and 14; public API 4.4.
 *
 * A preset's preferences are judged as leniently as they were stored: what is none of ours is passed over, field by field, so that
 * one that nobody can read does not undo the others.
 */
import { type ChatMessage, type CreateAdmission, type PresetVersion, ProviderPreferences } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { mergePreset } from "../preset/mergePreset.ts"
import { presetReference } from "../preset/presetReference.ts"
import { Presets } from "../preset/Presets.ts"
import { withSystemPrompt } from "../preset/withSystemPrompt.ts"
import { DecisionCache, presetPlace } from "./DecisionCache.ts"

export interface ResolvedRequest {
  /** Names in the order of preference, the fallbacks after the model. */
  readonly models: readonly string[]
  readonly provider: ProviderPreferences
  readonly messages: readonly ChatMessage[] | null
  readonly max_completion_tokens: number | null
  /** The fields of the preset and the request together, for a gateway to send on; `null` without a preset. */
  readonly merged: Readonly<Record<string, unknown>> | null
}

export type Resolution =
  | { readonly kind: "resolved"; readonly request: ResolvedRequest }
  | { readonly kind: "malformed"; readonly field: "model" | "preset" }
  | { readonly kind: "missing"; readonly preset: string }

type Asked = Pick<CreateAdmission, "model" | "models" | "preset" | "provider" | "messages" | "max_completion_tokens">

const isText = (value: unknown): value is string => typeof value === "string"

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)]

const tokensOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : null

/** The first of the spellings that says how many tokens may be written. */
const completionTokens = (fields: Readonly<Record<string, unknown>>): number | null =>
  tokensOf(fields["max_completion_tokens"]) ?? tokensOf(fields["max_tokens"])

const readablePreferences = (sent: unknown): ProviderPreferences => {
  const read = ProviderPreferences.safeParse(sent)
  if (read.success) return read.data
  if (typeof sent !== "object" || sent === null) return {}
  const unreadable = new Set(read.error.issues.map(({ path }) => path[0]))
  const others = Object.entries(sent).filter(([field]) => !unreadable.has(field))
  return ProviderPreferences.safeParse(Object.fromEntries(others)).data ?? {}
}

const fromFields = (
  fields: Readonly<Record<string, unknown>>,
  messages: readonly ChatMessage[] | null
): Omit<ResolvedRequest, "merged"> => {
  const models = Array.isArray(fields["models"]) ? fields["models"].filter(isText) : []
  return {
    models: distinct([...(isText(fields["model"]) && fields["model"] !== "" ? [fields["model"]] : []), ...models]),
    provider: readablePreferences(fields["provider"] ?? {}),
    messages,
    max_completion_tokens: completionTokens(fields)
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
    })
  )
})

/** `undefined` and `null` both say nothing. */
const sentFields = (asked: Asked): Record<string, unknown> =>
  Object.fromEntries(
    (["model", "models", "provider", "max_completion_tokens"] as const)
      .filter((field) => asked[field] != null)
      .map((field) => [field, asked[field]])
  )

export const resolveRequest = Effect.fnUntraced(function* (account_id: string, workspace_id: string, asked: Asked) {
  const fields = sentFields(asked)
  const messages = asked.messages ?? null
  const reference = presetReference({ model: asked.model ?? undefined, preset: asked.preset ?? undefined })
  if (reference.kind === "malformed") return { kind: "malformed", field: reference.field } satisfies Resolution
  if (reference.kind === "none")
    return { kind: "resolved", request: { ...fromFields(fields, messages), merged: null } } satisfies Resolution
  const { slug, version } = reference.reference
  const found = yield* presetVersion(account_id, workspace_id, slug, version)
  if (Option.isNone(found))
    return { kind: "missing", preset: version === null ? slug : `${slug}:${version}` } satisfies Resolution
  const merged = mergePreset(found.value.config, fields, reference.reference)
  const prompted = messages === null ? null : withSystemPrompt(messages, found.value.system_prompt)
  return { kind: "resolved", request: { ...fromFields(merged, prompted), merged } } satisfies Resolution
})
