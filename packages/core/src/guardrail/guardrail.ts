import { type CreateGuardrail, type Guardrail, type Issue, maxIssues, Region } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { RE2JS } from "re2js"
import { type Caller, namesResource, reachedWorkspaces, reachesWorkspace } from "../access/Caller.ts"
import { Assignments } from "../ports/guardrails.ts"
import { ApiKeys } from "../ports/keys.ts"
import { BadRequest, Forbidden, restrictedKey } from "../value/failure.ts"
import { inSlices, type Step } from "../value/inSlices.ts"

/** For content filters, where the contract declares it, and for other patterns. */
const maxCharacters = 10_000

/**
 * Instructions of the compiled program: one for each character of the longest pattern, one to begin and one to match. Repetition
 * of repetition is what makes it explode.
 */
const maxProgramSize = maxCharacters + 2

const tooLarge = "The pattern is too large"

/** Of one pattern, ranges beyond ASCII included: each has hundreds of ranges, which are copied, folded and merged. */
const maxUnicodeClasses = 100

/**
 * The parts of a pattern: a quotation, an escape, a named class; flags, the begin of a group or of a class; a counted repetition, any
 * character.
 */
const parts =
  /\\Q(.*?)(?:\\E|$)|\\[pP](?:\{[^}]*\}|.)|\\x\{[^}]*\}|\\.|\[:\^?\w+:\]|\(\?[a-zA-Z-]+\)|(\()(?:\?(?:P?<\w*>|[a-zA-Z-]*:))?|(\[)\^?\]?|\{(\d+)(?:,(\d*))?\}|./gsu

const isUnicodeClass = /^\\[pP]/
const isBeyondAscii = /^(?:\\x\{0*[0-9a-fA-F]{3,}\}|[^\0-\x7f])$/

/**
 * Whether the program of a pattern is far too large, without compiling it: its repetitions are written out, and nested ones of few characters
 * would take seconds. It is smaller than counted here if alternatives begin alike, so only several times the maximum is refused.
 */
const isFarTooLarge = (pattern: string): boolean => {
  /** Of each group that is open, the size so far, and that of its last part, which a repetition repeats. */
  const outer: { size: number; last: number }[] = []
  let open = { size: 0, last: 0 }
  let isClass = false
  let before = ""
  let unicodeClasses = 0
  for (const [part, quoted, group, begin, least, most] of pattern.matchAll(parts)) {
    if (isUnicodeClass.test(part) || (isClass && before === "-" && isBeyondAscii.test(part))) unicodeClasses++
    before = part
    if (isClass) {
      isClass = part !== "]"
    } else if (group !== undefined) {
      outer.push(open)
      // One that captures notes where it begins and ends.
      open = { size: /^\((?:\?P?<|$)/.test(part) ? 2 : 0, last: 0 }
    } else if (least !== undefined) {
      const times = most === undefined || most === "" ? Math.max(1, Number(least)) : Number(most)
      open.size += open.last * (times - 1)
      open.last *= times
    } else if (part === ")") {
      const { size } = open
      open = outer.pop() ?? { size: 0, last: 0 }
      open.size += size
      open.last = size
    } else {
      isClass = begin !== undefined
      open.size += quoted?.length ?? 1
      open.last = 1
    }
    if (open.size > 3 * maxProgramSize || unicodeClasses > maxUnicodeClasses) return true
  }
  return false
}

/**
 * Custom filter patterns are the RE2 syntax that `re2js` accepts, so that no text can make them slow.
 *
 * Rule: content-filters#patterns. Look-around, back-references and programs too large are refused when they are written.
 *
 * Why a pattern is refused; undefined if it is accepted. Never repeats the pattern, which may contain the secret that it is to find.
 */
export const patternProblem = (pattern: string): string | undefined => {
  // A character has at most two code units. A text of megabytes is refused before it is compiled.
  if (pattern.length > 2 * maxCharacters || Array.from(pattern).length > maxCharacters) return tooLarge
  if (isFarTooLarge(pattern)) return tooLarge
  try {
    return RE2JS.compile(pattern).programSize() > maxProgramSize ? tooLarge : undefined
  } catch {
    return "The pattern is not in the RE2 syntax: no look-around, no back-references, no repetition above 1000"
  }
}

/** A pattern and its path in the request. */
export interface PlacedPattern {
  readonly path: string
  readonly pattern: string
}

/** `at`: the path of the filters' guardrail in the request, with a trailing dot. */
export const patternsOfFilters = (filters: CreateGuardrail["content_filters"], at = ""): readonly PlacedPattern[] =>
  (filters ?? []).map(({ pattern }, index) => ({ path: `${at}content_filters.${index}.pattern`, pattern }))

/** A shorter one is compiled in less than a millisecond. */
const longPattern = 100

function* problemsOf(patterns: readonly PlacedPattern[]): Generator<Step, readonly Issue[]> {
  const issues: Issue[] = []
  for (const { path, pattern } of patterns) {
    // The largest patterns take tens of milliseconds each and a body may have thousands, so other requests run in between.
    yield pattern.length > longPattern ? "long" : undefined
    const message = patternProblem(pattern)
    if (message !== undefined) issues.push({ path, code: "invalid_regex_pattern", message })
    if (issues.length === maxIssues) break
  }
  return issues
}

/** Fails with 400 `invalid_regex_pattern` when a pattern cannot run in linear time. */
export const refusePatterns = Effect.fnUntraced(function* (patterns: readonly PlacedPattern[]) {
  const issues = yield* inSlices(problemsOf(patterns))
  if (issues.length > 0) return yield* new BadRequest({ reason: "invalid_regex_pattern", issues })
})

const appliesElsewhere = {
  members: "the guardrail is assigned to members, so it applies in every workspace",
  keys: "the guardrail is assigned to keys of other workspaces"
} as const

/**
 * A guardrail that a member has, or a key of another workspace, applies beyond the workspaces of a restricted key. Such a key may not
 * change it, as it may not assign it there. Rule: access#restricted-keys.
 */
export const refuseGuardrailBeyondReach = Effect.fnUntraced(function* (caller: Caller, guardrail_id: string) {
  const reached = reachedWorkspaces(caller)
  if (reached === undefined) return
  const beyond = yield* (yield* Assignments).appliesBeyond(caller.account_id, { guardrail_id }, reached)
  if (beyond === undefined) return
  return yield* restrictedKey(
    "path.id",
    "workspace_ids",
    `This key is restricted to workspaces; ${appliesElsewhere[beyond]}`
  )
})

/**
 * Assigning a guardrail replaces the one that a key has. A restricted key may not replace one that it could not take off, because the
 * guardrail lies in another workspace. Rule: access#restricted-keys.
 */
export const refuseReplacing = Effect.fnUntraced(function* (caller: Caller, hashes: readonly string[]) {
  const reached = reachedWorkspaces(caller)
  if (reached === undefined) return
  const governed = yield* (yield* Assignments).keysGovernedElsewhere(caller.account_id, hashes, reached)
  if (governed.length === 0) return
  return yield* new Forbidden({
    reason: "restricted_key",
    issues: governed.map((hash) => ({
      path: "key_hashes",
      code: "workspace_ids",
      message: `This key is restricted to workspaces; ${hash} has a guardrail of another workspace, which this would replace`
    }))
  })
})

/**
 * A pattern of one's own tells what is in the prompts that it finds something in: usage events and analytics show whether it did. So a
 * restricted key without `prompts` sets none. Rule: guardrails#who-may-set-patterns.
 *
 * `at`: the path of the filters' guardrail in the request, with a trailing dot.
 */
export const requirePromptsForFilters = (
  caller: Caller,
  filters: CreateGuardrail["content_filters"],
  at = ""
): Effect.Effect<void, Forbidden> =>
  filters == null || namesResource(caller, "prompts")
    ? Effect.void
    : Effect.fail(
        restrictedKey(
          `${at}content_filters`,
          "resources",
          "Content filters with patterns tell what is in prompts, and the resources of this key do not name prompts. Leave content_filters out, or use another key."
        )
      )

/** Whether filters are the stored ones. A store may give the members of a filter in another order. */
export const isSameFilters = (a: Guardrail["content_filters"], b: Guardrail["content_filters"]): boolean =>
  a === null || b === null
    ? a === b
    : a.length === b.length &&
      a.every((filter, index) => {
        const other = b[index]
        return filter.pattern === other?.pattern && filter.action === other.action && filter.label === other.label
      })

/**
 * The hashes without those of keys in workspaces that the caller does not reach. A key never leaves its workspace, so what is found here
 * holds for the change that follows. Rule: access#restricted-keys.
 */
export const keysWithinReach = Effect.fnUntraced(function* (caller: Caller, hashes: readonly string[]) {
  if (reachedWorkspaces(caller) === undefined) return hashes
  const keys = yield* (yield* ApiKeys).list(caller.account_id, { kind: "normal", hashes })
  const reached = new Set(keys.filter((key) => reachesWorkspace(caller, key.workspace_id)).map(({ hash }) => hash))
  return hashes.filter((hash) => reached.has(hash))
})

/**
 * The ingress regions that all guardrails allow: the intersection of every list that is not `null`.
 *
 * Rule: guardrails#regions, guardrails#effective-policy: an empty intersection allows no request.
 */
export const effectiveRegions = (
  guardrails: readonly { readonly allowed_data_regions: readonly Region[] | null }[]
): Region[] =>
  Region.options.filter((region) =>
    guardrails.every(
      ({ allowed_data_regions }) => allowed_data_regions === null || allowed_data_regions.includes(region)
    )
  )
