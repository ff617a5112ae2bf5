/**
 * The content filters of all guardrails that apply, merged: the filters of each guardrail, and the distinct searches that they need.
 *
 * Rule: guardrails#effective-policy, content-filters#actions. Builtins and custom patterns scan all messages, including tool results and the
 * arguments of tool calls; `scan_scope: user_only` narrows prompt injection to what users wrote.
 */
import {
  type BuiltinSlug,
  type ContentFilter,
  type ContentFilterBuiltin,
  contentFilterBuiltins,
  customFilterLabel,
  type FilterAction,
  type UnscannableAction
} from "@gatewarden/contract/internal"
import type { AppliedGuardrail, GuardrailScope } from "../ports/policySources.ts"
import type { DetectedKind } from "./Detector.ts"
import type { Sought } from "./ScanJob.ts"

export interface CompiledFilter {
  readonly guardrail_id: string
  /** The scopes in which its guardrail applies; several if it is both the member's and the key's. */
  readonly scopes: readonly GuardrailScope[]
  readonly list: "content_filter_builtins" | "content_filters"
  /** The name in findings: a slug, or `content_filters.<index>`. */
  readonly filter: string
  /** As reasons name it. */
  readonly field: string
  readonly action: FilterAction
  readonly label: string
  /** Whether the label is its own, of which no builtin finds anything, nor across it. */
  readonly has_default_label: boolean
  readonly entry: ContentFilterBuiltin | ContentFilter
  readonly entries: readonly (ContentFilterBuiltin | ContentFilter)[]
  readonly finds:
    | { readonly by: "scan"; readonly sought: number }
    | { readonly by: "detector"; readonly kind: DetectedKind }
  readonly user_only: boolean
  /** What is answered when it blocks. */
  readonly refusal: string
}

/** A guardrail's setting for unscannable parts; only for guardrails with filters, or that block such parts. */
export interface UnscannableRule {
  readonly guardrail_id: string
  readonly scopes: readonly GuardrailScope[]
  readonly action: UnscannableAction
}

export interface CompiledFilters {
  readonly filters: readonly CompiledFilter[]
  readonly sought: readonly Sought[]
  readonly detected: readonly DetectedKind[]
  /** None: nothing has to be read. */
  readonly unscannable: readonly UnscannableRule[]
}

/** The entity of Presidio that a block names (Rule: admissions#denials). */
export const detectedEntities: Readonly<Record<DetectedKind, string>> = { "person-name": "PERSON", address: "LOCATION" }

const isDetected = (slug: BuiltinSlug): slug is DetectedKind => slug in detectedEntities

const blocked = (name: string): string => `Request blocked by content filter: ${name}`

const builtinRefusal = ({ slug, label }: ContentFilterBuiltin): string => {
  if (slug === "regex-prompt-injection") return "Request blocked: prompt injection patterns detected"
  if (isDetected(slug)) return `Blocked PII detected: ${detectedEntities[slug]}`
  const known = contentFilterBuiltins[slug]
  return blocked(label === known.label ? known.name : label)
}

export const compileFilters = (applied: readonly AppliedGuardrail[]): CompiledFilters => {
  const sought = new Map<string, { readonly place: number; readonly one: Sought }>()
  const seek = (one: Sought): CompiledFilter["finds"] => {
    const name = JSON.stringify(one)
    const known = sought.get(name) ?? { place: sought.size, one }
    sought.set(name, known)
    return { by: "scan", sought: known.place }
  }
  const findsOf = ({ slug }: ContentFilterBuiltin): CompiledFilter["finds"] =>
    isDetected(slug)
      ? { by: "detector", kind: slug }
      : seek(slug === "regex-prompt-injection" ? { kind: "injection" } : { kind: "builtin", slug })
  const scopesOf = new Map<string, GuardrailScope[]>()
  for (const { scope, guardrail } of applied) scopesOf.set(guardrail.id, [...(scopesOf.get(guardrail.id) ?? []), scope])
  const guardrails = [...new Map(applied.map(({ guardrail }) => [guardrail.id, guardrail])).values()]
  const filters = guardrails.flatMap((guardrail): readonly CompiledFilter[] => {
    const of = { guardrail_id: guardrail.id, scopes: scopesOf.get(guardrail.id) ?? [] }
    const builtins = guardrail.content_filter_builtins ?? []
    const custom = guardrail.content_filters ?? []
    return [
      ...builtins.map((entry): CompiledFilter => ({
        ...of,
        list: "content_filter_builtins",
        filter: entry.slug,
        field: `content_filter_builtins.${entry.slug}`,
        action: entry.action,
        label: entry.label,
        has_default_label: entry.label === contentFilterBuiltins[entry.slug].label,
        entry,
        entries: builtins,
        finds: findsOf(entry),
        user_only: entry.slug === "regex-prompt-injection" && entry.scan_scope === "user_only",
        refusal: builtinRefusal(entry)
      })),
      ...custom.map((entry, index): CompiledFilter => ({
        ...of,
        list: "content_filters",
        filter: `content_filters.${index}`,
        field: `content_filters.${index}`,
        action: entry.action,
        label: entry.label,
        has_default_label: entry.label === customFilterLabel,
        entry,
        entries: custom,
        finds: seek({ kind: "pattern", pattern: entry.pattern }),
        user_only: false,
        refusal: blocked(entry.label === customFilterLabel ? "[BLOCKED]" : entry.label)
      }))
    ]
  })
  return {
    filters,
    sought: [...sought.values()].map(({ one }) => one),
    unscannable: guardrails
      .filter(
        ({ content_filter_builtins, content_filters, content_filter_unscannable }) =>
          content_filter_builtins !== null || content_filters !== null || content_filter_unscannable === "block"
      )
      .map(({ id, content_filter_unscannable: action }) => ({
        guardrail_id: id,
        scopes: scopesOf.get(id) ?? [],
        action
      })),
    detected: [...new Set(filters.flatMap(({ finds }) => (finds.by === "detector" ? [finds.kind] : [])))]
  }
}

/** Some of the filters, and what they alone need. */
const filtersThat = (compiled: CompiledFilters, isWanted: (filter: CompiledFilter) => boolean): CompiledFilters => {
  const wanted = compiled.filters.filter(isWanted)
  const places = [...new Set(wanted.flatMap(({ finds }) => (finds.by === "scan" ? [finds.sought] : [])))]
  return {
    filters: wanted.map((filter) =>
      filter.finds.by === "scan"
        ? { ...filter, finds: { by: "scan", sought: places.indexOf(filter.finds.sought) } }
        : filter
    ),
    sought: places.flatMap((place) => compiled.sought[place] ?? []),
    detected: [...new Set(wanted.flatMap(({ finds }) => (finds.by === "detector" ? [finds.kind] : [])))],
    unscannable: compiled.unscannable
  }
}

/** What searches a request again after these filters have redacted it. Rule: content-filters#actions. */
export const searchingAgain = (compiled: CompiledFilters, redacting: readonly CompiledFilter[]): CompiledFilters => {
  const isOrdinary = redacting.every(({ has_default_label }) => has_default_label)
  return filtersThat(compiled, ({ action, list }) => action !== "flag" && (!isOrdinary || list === "content_filters"))
}
