/**
 * Presets: named, versioned request configurations.
 *
 * Rule: presets#new-presets, presets#versions, presets#place-of-a-preset.
 */
import * as z from "zod"
import { ChatRequest } from "./chat.ts"
import { json, operation } from "./operation.ts"
import { createdAt, dataOf, documentedAs, listOf, page, timestamp, updatedAt, uuid, workspaceId } from "./primitives.ts"

/** Letters, digits, `.`, `_`, `~` and `-`, at most 128 of them, and no path segment that means a directory. */
export const presetSlugPattern = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/

export const PresetVersion = z
  .object({
    id: uuid.describe("Id of the version."),
    preset_id: uuid.describe("Id of the preset that the version belongs to."),
    version: z.int().describe("Number of the version: 1 for the first, then counted up without gaps."),
    config: z
      .record(z.string(), z.unknown())
      .describe("Request fields that the version sets, stored as they were sent."),
    system_prompt: z.string().describe('Text of the system and developer messages. `""`: there were none.'),
    creator_id: z.string().describe("Id of the user whose key made the version. `system`: the key has no user."),
    created_at: createdAt,
    updated_at: updatedAt
  })
  .meta({ id: "PresetVersion", description: "A version of a preset. It never changes." })
export type PresetVersion = z.output<typeof PresetVersion>

export const Preset = z
  .object({
    id: uuid.describe("Id of the preset."),
    workspace_id: workspaceId,
    name: z.string().describe("Name of the preset. Initially its slug."),
    slug: z.string().describe("Slug of the preset, unique in its workspace. Requests use it: `@preset/support`."),
    description: z.string().nullable().describe("Description for people. `null`: none."),
    status: z.string().describe("State of the preset: `active`."),
    status_updated_at: timestamp
      .nullable()
      .describe("Time of the last change of `status`, in UTC. `null`: it never changed."),
    creator_user_id: z.string().describe("Id of the user whose key made the preset. `system`: the key has no user."),
    designated_version_id: uuid.describe("Id of the version that requests use unless they name another."),
    designated_version: PresetVersion,
    created_at: createdAt,
    updated_at: updatedAt
  })
  .meta({ id: "Preset", description: "Named request settings in versions, with the version that requests use." })
export type Preset = z.output<typeof Preset>

export const PresetSummary = Preset.omit({ designated_version: true }).meta({
  id: "PresetSummary",
  description: "A preset in a list, without its version."
})
export type PresetSummary = z.output<typeof PresetSummary>

export const presetVersionExample: PresetVersion = {
  id: "80f43776-7bd8-4110-8b92-ca604419bdb2",
  preset_id: "5f0a6a42-39b8-4d68-a7e9-7bc3459e7ff1",
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
  slug: z
    .string()
    .meta({ [documentedAs]: { type: "string", pattern: presetSlugPattern.source } })
    .describe("Slug of the preset: 1 to 128 letters, digits, `.`, `_`, `~` and `-`.")
})

export const presetQuery = z.object({
  workspace_id: uuid
    .optional()
    .describe(
      "Id of the workspace, with a management key. Default: the default workspace of the account. An API key acts in its own workspace."
    )
})

/** A version is read by each request that names it. */
export const presetBody = <S extends z.ZodType>(schema: S) => json(schema, 1_048_576, 50_000)

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
  body: presetBody(ChatRequest),
  success: { schema: dataOf(Preset), long: "entity" },
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
  success: { schema: dataOf(Preset), long: "entity" },
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
