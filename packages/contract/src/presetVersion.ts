/**
 * The versions of a preset. A version never changes; which one requests use may.
 *
 * Rule: presets#versions, presets#reading-versions.
 */
import * as z from "zod"
import { operation } from "./operation.ts"
import { presetParams, presetQuery, PresetVersion, presetVersionExample } from "./preset.ts"
import { dataOf, documentedAs, listOf, page } from "./primitives.ts"

/** The number of a version, as a path or a reference has it: it looks up a version, so another text is 404. */
export const presetVersionPattern = /^[1-9]\d{0,8}$/

const versionParams = presetParams.extend({
  version: z.string().meta({ [documentedAs]: { type: "string", pattern: presetVersionPattern.source } })
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
  params: presetParams,
  query: z.object({ ...page, ...presetQuery.shape }),
  success: { schema: listOf(PresetVersion) },
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
  params: versionParams,
  query: presetQuery,
  success: { schema: dataOf(PresetVersion) },
  errors: [400, 401, 403, 404, 500],
  example: { params: { ...params, version: "1" }, response: { data: presetVersionExample } }
})
