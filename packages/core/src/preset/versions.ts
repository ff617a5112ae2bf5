import type { PresetDifference, PresetVersion } from "@gatewarden/contract/internal"
import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { workspaceOfCaller } from "../access/workspaceOfRequest.ts"
import { Presets } from "../ports/presets.ts"
import { operation } from "../tracing/operation.ts"
import { inSlices } from "../value/inSlices.ts"
import type { PageRequest } from "../value/Page.ts"
import { timestamp } from "../value/calendar.ts"
import { compareText } from "../value/text.ts"
import { notFound } from "../value/failure.ts"
import { appendVersion, requireDesignation, requireSlug, requireVersion } from "./preset.ts"

type Content = Pick<PresetVersion, "config" | "system_prompt">

/** A config holds no field of this name, nor any `null`: `requestFields`. */
const fieldsOf = ({ config, system_prompt }: Content): ReadonlyMap<string, unknown> =>
  new Map([...Object.entries(config), ["system_prompt", system_prompt]])

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Whether two JSON values are equal, whatever the order of keys. No recursion, and in steps: a config holds half a million values. */
function* isEqual(one: unknown, other: unknown): Generator<void, boolean> {
  const open: (readonly [unknown, unknown])[] = [[one, other]]
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    yield
    const [a, b] = pair
    if (a === b) continue
    if (!isRecord(a) || !isRecord(b) || Array.isArray(a) !== Array.isArray(b)) return false
    const names = Object.keys(a)
    if (names.length !== Object.keys(b).length) return false
    for (const name of names) {
      if (!Object.hasOwn(b, name)) return false
      open.push([a[name], b[name]])
    }
  }
  return true
}

/**
 * The fields whose values differ, by name. A field is compared as a whole, as a merge replaces it; the order of keys does not count.
 *
 * Rule: presets#comparing-versions.
 */
export function* differencesOf(from: Content, to: Content): Generator<void, PresetDifference[]> {
  const [before, after] = [fieldsOf(from), fieldsOf(to)]
  const found: PresetDifference[] = []
  for (const field of [...new Set([...before.keys(), ...after.keys()])].sort(compareText)) {
    const difference = { field, from: before.get(field) ?? null, to: after.get(field) ?? null }
    if (!(yield* isEqual(difference.from, difference.to))) found.push(difference)
  }
  return found
}

/** Rule: presets#comparing-versions. */
export const comparePresetVersions = operation("comparePresetVersions")(function* (
  caller: Caller,
  { slug, version }: { readonly slug: string; readonly version: string },
  { from, workspace_id: named }: { readonly from: number | undefined; readonly workspace_id?: string | undefined }
) {
  yield* requireSlug(slug)
  const { account_id } = caller
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const later = yield* requireVersion(account_id, workspace_id, slug, version)
  const presets = yield* Presets
  const found =
    from === undefined
      ? Option.map(yield* presets.find(account_id, workspace_id, slug), (preset) => preset.designated_version)
      : yield* presets.findVersion(account_id, workspace_id, slug, from)
  if (Option.isNone(found)) return yield* notFound()
  return {
    from: found.value.version,
    to: later.version,
    differences: yield* inSlices(differencesOf(found.value, later))
  }
})

/** Rule: presets#reading-versions. */
export const getPresetVersion = operation("getPresetVersion")(function* (
  caller: Caller,
  { slug, version }: { readonly slug: string; readonly version: string },
  named: string | undefined
) {
  yield* requireSlug(slug)
  const workspace_id = yield* workspaceOfCaller(caller, named)
  return yield* requireVersion(caller.account_id, workspace_id, slug, version)
})

/** Rule: presets#reading-versions. */
export const listPresetVersions = operation("listPresetVersions")(function* (
  caller: Caller,
  slug: string,
  { workspace_id: named, ...page }: PageRequest & { readonly workspace_id?: string | undefined }
) {
  yield* requireSlug(slug)
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const found = yield* (yield* Presets).listVersions(caller.account_id, workspace_id, slug, page)
  return Option.isSome(found) ? found.value : yield* notFound()
})

/** Applies at once on this process, within two seconds on every other. Rule: presets#choosing-a-version. */
export const putDesignatedVersion = operation("putDesignatedVersion")(function* (
  caller: Caller,
  slug: string,
  named: string | undefined,
  version: number
) {
  yield* requireSlug(slug)
  const workspace_id = yield* workspaceOfCaller(caller, named)
  yield* requireDesignation(caller, workspace_id, slug)
  const now = yield* timestamp
  const found = yield* (yield* Presets).designate(caller.account_id, workspace_id, slug, version, now)
  return Option.isSome(found) ? found.value : yield* notFound()
})

/** Rule: presets#choosing-a-version. */
export const restorePresetVersion = operation("restorePresetVersion")(function* (
  caller: Caller,
  { slug, version }: { readonly slug: string; readonly version: string },
  named: string | undefined
) {
  yield* requireSlug(slug)
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const content = yield* requireVersion(caller.account_id, workspace_id, slug, version)
  yield* requireDesignation(caller, workspace_id, slug)
  return yield* appendVersion(caller, workspace_id, slug, content)
})
