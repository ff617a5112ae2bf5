/**
 * The versions of a preset. A version never changes; which one requests use may.
 *
 * Rule: presets#versions, presets#reading-versions, presets#choosing-a-version.
 */
import * as z from "zod"
import { json, operation } from "./operation.ts"
import { getPreset, Preset, presetParams, presetQuery, PresetVersion, presetVersionExample } from "./preset.ts"
import { dataOf, documentedAs, listOf, page, queryInteger } from "./primitives.ts"

/** The number of a version, as a path or a reference has it: it looks up a version, so another text is 404. */
export const presetVersionPattern = /^[1-9]\d{0,8}$/

const versionParams = presetParams.extend({
  version: z
    .string()
    .meta({ [documentedAs]: { type: "string", pattern: presetVersionPattern.source } })
    .describe("Number of the version, as digits without leading zeros.")
})

const params = { slug: "support" }

export const listPresetVersions = operation({
  id: "listPresetVersions",
  method: "GET",
  path: "/presets/:slug/versions",
  tag: "Presets",
  changes: "nothing",
  summary: "List the versions of a preset",
  description: "From the first on.",
  access: "anyKey",
  workspaceOf: "named",
  params: presetParams,
  query: z.object({ ...page, ...presetQuery.shape }),
  success: { schema: listOf(PresetVersion), long: true },
  errors: [400, 401, 403, 404, 500],
  example: { params, response: { data: [presetVersionExample], total_count: 1 } }
})

export const getPresetVersion = operation({
  id: "getPresetVersion",
  method: "GET",
  path: "/presets/:slug/versions/:version",
  tag: "Presets",
  changes: "nothing",
  summary: "Get one version of a preset",
  access: "anyKey",
  workspaceOf: "named",
  params: versionParams,
  query: presetQuery,
  success: { schema: dataOf(PresetVersion), long: "entity" },
  errors: [400, 401, 403, 404, 500],
  example: { params: { ...params, version: "1" }, response: { data: presetVersionExample } }
})

const mostVersions = 999_999_999

export const DesignateVersion = z
  .object({
    version: z.int().min(1).max(mostVersions).describe("Number of the version that requests use from now on.")
  })
  .meta({ id: "DesignateVersion", description: "The version to designate." })
export type DesignateVersion = z.output<typeof DesignateVersion>

export const putDesignatedVersion = operation({
  id: "putDesignatedVersion",
  method: "PUT",
  path: "/gateway/presets/:slug/designated-version",
  tag: "Presets",
  changes: { noun: "preset", action: "update" },
  summary: "Designate a version of a preset",
  description:
    "Requests that name the preset without a version use it from now on: at once here, within two seconds on every other process. The next version is designated in its place if the key that makes it may designate it.",
  access: "managementKey",
  workspaceOf: "named",
  params: presetParams,
  query: presetQuery,
  body: json(DesignateVersion),
  success: { schema: dataOf(Preset), long: "entity" },
  errors: [400, 401, 403, 404, 500],
  example: { params, body: { version: 1 }, response: getPreset.example.response }
})

const nextExample: PresetVersion = {
  ...presetVersionExample,
  id: "815beeba-d3d9-473e-9c60-98e5c5e88f14",
  version: 2,
  created_at: "2026-01-06T08:00:00.000Z",
  updated_at: "2026-01-06T08:00:00.000Z"
}

export const restorePresetVersion = operation({
  id: "restorePresetVersion",
  method: "POST",
  path: "/gateway/presets/:slug/versions/:version/restoration",
  tag: "Presets",
  changes: { noun: "preset", action: "update" },
  summary: "Make a version of a preset anew",
  description: "Appends a version with the config and the system prompt of this one, and designates it.",
  access: "managementKey",
  workspaceOf: "named",
  params: versionParams,
  query: presetQuery,
  success: { schema: dataOf(Preset), long: "entity" },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { ...params, version: "1" },
    response: {
      data: {
        ...getPreset.example.response.data,
        designated_version_id: nextExample.id,
        designated_version: nextExample,
        updated_at: nextExample.updated_at
      }
    }
  }
})

export const PresetDifference = z
  .object({
    field: z.string().describe("Field of the config, or `system_prompt`."),
    from: z.unknown().describe("Value in the version `from`. `null`: that version does not have the field."),
    to: z.unknown().describe("Value in the version `to`. `null`: that version does not have the field.")
  })
  .meta({ id: "PresetDifference", description: "A field whose values differ between two versions." })
export type PresetDifference = z.output<typeof PresetDifference>

export const PresetComparison = z
  .object({
    from: z.int().describe("Number of the version that is compared with."),
    to: z.int().describe("Number of the version in the path."),
    differences: z
      .array(PresetDifference)
      .describe("Fields that differ, by name. Empty: the versions have the same effect.")
  })
  .meta({ id: "PresetComparison", description: "Differences between two versions of a preset." })
export type PresetComparison = z.output<typeof PresetComparison>

export const comparePresetVersions = operation({
  id: "comparePresetVersions",
  method: "GET",
  path: "/gateway/presets/:slug/versions/:version/comparison",
  tag: "Presets",
  changes: "nothing",
  summary: "Compare a version of a preset with another one",
  access: "managementKey",
  workspaceOf: "named",
  params: versionParams,
  query: z.object({
    from: queryInteger({ min: 1, max: mostVersions, default: undefined }).describe(
      "Number of the version to compare with. Default: the designated one."
    ),
    ...presetQuery.shape
  }),
  success: { schema: dataOf(PresetComparison), long: true },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { ...params, version: "2" },
    query: { from: "1" },
    response: { data: { from: 1, to: 2, differences: [{ field: "temperature", from: 0.2, to: 0.7 }] } }
  }
})
