/**
 * Presets: named, versioned request configurations.
 *
 * Rule: presets#new-presets, presets#versions, presets#place-of-a-preset.
 */
import * as z from "zod"
import { ChatRequest } from "./chat.ts"
import { json, operation } from "./operation.ts"
import { dataOf, documentedAs, listOf, page, timestamp, uuid } from "./primitives.ts"

/** Letters, digits, `.`, `_`, `~` and `-`, at most 128 of them, and no path segment that means a directory. */
export const presetSlugPattern = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/

export const PresetVersion = z
  .object({
    id: uuid,
    preset_id: uuid,
    /** 1 for the first, then each the next number. */
    version: z.int(),
    config: z.record(z.string(), z.unknown()),
    system_prompt: z.string(),
    creator_id: z.string(),
    created_at: timestamp,
    updated_at: timestamp
  })
  .meta({ id: "PresetVersion" })
export type PresetVersion = z.output<typeof PresetVersion>

export const Preset = z
  .object({
    id: uuid,
    workspace_id: uuid,
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    status: z.string(),
    status_updated_at: timestamp.nullable(),
    creator_user_id: z.string(),
    designated_version_id: uuid,
    designated_version: PresetVersion,
    created_at: timestamp,
    updated_at: timestamp
  })
  .meta({ id: "Preset" })
export type Preset = z.output<typeof Preset>

/** A preset as a list has it: without its version. */
export const PresetSummary = Preset.omit({ designated_version: true }).meta({ id: "PresetSummary" })
export type PresetSummary = z.output<typeof PresetSummary>

export const presetVersionExample: PresetVersion = {
  id: "c8a1f6de-2a4b-4c1f-9d55-0e6f7a8b9c12",
  preset_id: "5e1c9a70-7f3d-4b8a-8c2e-4d6f1a2b3c45",
  version: 1,
  config: { model: "openai/gpt-5", temperature: 0.2 },
  system_prompt: "Answer briefly.",
  creator_id: "user-7",
  created_at: "2026-01-05T09:30:00.000Z",
  updated_at: "2026-01-05T09:30:00.000Z"
}

const summaryExample: PresetSummary = {
  id: presetVersionExample.preset_id,
  workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  name: "support",
  slug: "support",
  description: null,
  status: "active",
  status_updated_at: null,
  creator_user_id: "user-7",
  designated_version_id: presetVersionExample.id,
  created_at: "2026-01-05T09:30:00.000Z",
  updated_at: "2026-01-05T09:30:00.000Z"
}

const example: Preset = { ...summaryExample, designated_version: presetVersionExample }

/** A malformed slug is 400, unlike a malformed id, so it is the operation that judges it. */
export const presetParams = z.object({
  slug: z.string().meta({ [documentedAs]: { type: "string", pattern: presetSlugPattern.source } })
})

export const presetQuery = z.object({
  workspace_id: uuid.optional().describe("For management keys; default: the default workspace.")
})

export const createPreset = operation({
  id: "createPreset",
  method: "POST",
  path: "/presets/:slug/chat/completions",
  tag: "Presets",
  changes: { noun: "preset", action: "create" },
  summary: "Create or update a preset from a chat completion request",
  description:
    "Appends a version to the preset of this slug, which is created when there is none, and designates it if the key may (`presets_designated_by` of the workspace); the response shows the version that is designated. Messages of the roles system and developer become `system_prompt`; the other messages and what belongs to one request are not kept.",
  access: "anyKey",
  workspaceOf: "named",
  ownWorkspaceOnly: true,
  params: presetParams,
  query: presetQuery,
  body: json(ChatRequest),
  success: { schema: dataOf(Preset) },
  errors: [400, 401, 403, 404, 500],
  example: {
    params: { slug: "support" },
    body: {
      model: "openai/gpt-5",
      temperature: 0.2,
      messages: [
        { role: "system", content: "Answer briefly." },
        { role: "user", content: "How do I reset my password?" }
      ]
    },
    response: { data: example }
  }
})

export const getPreset = operation({
  id: "getPreset",
  method: "GET",
  path: "/presets/:slug",
  tag: "Presets",
  changes: "nothing",
  summary: "Get a preset with its designated version",
  access: "anyKey",
  workspaceOf: "named",
  params: presetParams,
  query: presetQuery,
  success: { schema: dataOf(Preset) },
  errors: [400, 401, 403, 404, 500],
  example: { params: { slug: "support" }, response: { data: example } }
})

export const listPresets = operation({
  id: "listPresets",
  method: "GET",
  path: "/presets",
  tag: "Presets",
  changes: "nothing",
  summary: "List the presets of a workspace",
  description: "The most recently updated first, without their versions.",
  access: "anyKey",
  workspaceOf: "named",
  query: z.object({ ...page, ...presetQuery.shape }),
  success: { schema: listOf(PresetSummary) },
  errors: [400, 401, 403, 404, 500],
  example: { response: { data: [summaryExample], total_count: 1 } }
})
