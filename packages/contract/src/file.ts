/**
 * Files: what requests refer to by id, kept by Gatewarden or by an upstream provider.
 *
 * Rule: files#uploads, files#who-may-use-files, requests#wire-profiles.
 */
import * as z from "zod"
import { operation } from "./operation.ts"
import { queryInteger, timestamp, uuid } from "./primitives.ts"

/** Bytes of the largest file (Rule: requests#body-sizes). */
export const maxFileBytes = 100_000_000

/** Files of the largest page of a list. */
export const maxFilesOfPage = 1_000

/** Providers whose file API can store a file in place of Gatewarden's own storage. */
export const FileProvider = z.enum(["openai", "anthropic"])
export type FileProvider = z.output<typeof FileProvider>

/** Ids of Gatewarden's files and of providers' files. */
export const fileId = z.string().regex(/^[A-Za-z0-9_-]{1,256}$/, "Expected letters, digits, underscores or hyphens")

/** The shape of the answer, for the public client, which knows several (Rule: files#shapes). Other clients do not get this field. */
const shape = z.literal("openrouter").optional()

export const StoredFile = z
  .object({
    _shape: shape,
    id: z.string(),
    type: z.literal("file"),
    filename: z.string(),
    mime_type: z.string(),
    size_bytes: z.int(),
    created_at: timestamp,
    downloadable: z.boolean(),
    purpose: z.string().optional().describe("What OpenAI keeps the file for; of its files only.")
  })
  .meta({ id: "File" })
export type StoredFile = z.output<typeof StoredFile>

export const FileDeleted = z
  .object({ _shape: shape, id: z.string(), type: z.literal("file_deleted") })
  .meta({ id: "FileDeleted" })
export type FileDeleted = z.output<typeof FileDeleted>

export const FileList = z
  .object({
    _shape: shape,
    data: z.array(StoredFile),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
    cursor: z.string().nullable().describe("Send it for the next page; `null` on the last one.")
  })
  .meta({ id: "FileList" })
export type FileList = z.output<typeof FileList>

const example: StoredFile = {
  id: "gw_file_3sVbT0mW9yKc5RfLq8ZxN1aE",
  type: "file",
  filename: "handbook.pdf",
  mime_type: "application/pdf",
  size_bytes: 48213,
  created_at: "2026-01-05T09:30:00.000Z",
  downloadable: false
}

const fileParams = z.object({ file_id: fileId })

const fileQuery = z.object({
  workspace_id: uuid.optional().describe("For management keys; default: the default workspace."),
  provider: FileProvider.optional().describe(
    "Use this provider's file store with the workspace's own credential for it; default: Gatewarden's storage."
  )
})

export const deleteFile = operation({
  id: "deleteFile",
  method: "DELETE",
  path: "/files/:file_id",
  tag: "Files",
  changes: { noun: "file", action: "delete" },
  summary: "Delete a file",
  description:
    "Irreversible. A deletion that failed may be repeated until it succeeds; the file is gone from the first try on.",
  access: "managementKey",
  workspaceOf: "named",
  params: fileParams,
  query: fileQuery,
  success: { schema: FileDeleted },
  errors: [400, 401, 403, 404, 429, 500, 502, 503],
  rateLimits: ["fileDeletion"],
  example: { params: { file_id: example.id }, response: { id: example.id, type: "file_deleted" } }
})

export const uploadFile = operation({
  id: "uploadFile",
  method: "POST",
  path: "/files",
  tag: "Files",
  changes: { noun: "file", action: "create" },
  summary: "Upload a file",
  description:
    "At most 100 MB in the field `file`. The type is told from the content: PDF, PNG, JPEG, GIF, WebP, DOCX, XLSX, PPTX, MP3, WAV, FLAC, OGG, or text in UTF-8.",
  access: "anyKey",
  workspaceOf: "named",
  ownWorkspaceOnly: true,
  query: fileQuery,
  body: { kind: "file", maxBytes: maxFileBytes },
  success: { schema: StoredFile },
  errors: [400, 401, 403, 404, 500, 502, 503],
  example: { response: example }
})

export const getFile = operation({
  id: "getFile",
  method: "GET",
  path: "/files/:file_id",
  tag: "Files",
  changes: "nothing",
  summary: "Get what is known of a file",
  access: "anyKey",
  workspaceOf: "named",
  params: fileParams,
  query: fileQuery,
  success: { schema: StoredFile },
  errors: [400, 401, 403, 404, 500, 502, 503],
  example: { params: { file_id: example.id }, response: example }
})

const unsupported = (message: string) => z.string().refine(() => false, { message, params: { code: "unsupported" } })

export const listFiles = operation({
  id: "listFiles",
  method: "GET",
  path: "/files",
  tag: "Files",
  changes: "nothing",
  summary: "List files",
  description:
    "Oldest first; those of a provider as that provider orders them. `cursor`, `after` and `after_id` say where a page begins; if several are sent, the first of them counts. A cursor stays valid when the file before it is deleted.",
  access: "anyKey",
  workspaceOf: "named",
  query: fileQuery.extend({
    limit: queryInteger({ min: 1, max: maxFilesOfPage, default: 50 }),
    cursor: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,300}$/, "Expected `cursor` of an answer")
      .optional()
      .describe("`cursor` of the answer before."),
    after: fileId.optional().describe("The id of the file before the page, as OpenAI's client sends it."),
    after_id: fileId.optional().describe("The same, as Anthropic's client sends it."),
    before_id: unsupported("Files are listed forwards only; send after_id").optional().describe("Not supported: 400."),
    order: z.literal("asc", "Files are listed in ascending order only").optional()
  }),
  success: { schema: FileList },
  errors: [400, 401, 403, 404, 500, 502, 503],
  example: {
    query: { limit: "50" },
    response: { data: [example], first_id: example.id, last_id: example.id, has_more: false, cursor: null }
  }
})

export const getFileContent = operation({
  id: "getFileContent",
  method: "GET",
  path: "/files/:file_id/content",
  tag: "Files",
  changes: "nothing",
  summary: "Get the content of a file",
  description:
    "Of files that a provider made, such as the output of a batch. Uploaded files cannot be downloaded: 400, also where the provider says so of one of its own.",
  access: "anyKey",
  workspaceOf: "named",
  params: fileParams,
  query: fileQuery,
  success: {
    schema: z.custom<ReadableStream<Uint8Array>>((value) => value instanceof ReadableStream),
    bytes: true
  },
  errors: [400, 401, 403, 404, 500, 502, 503],
  example: { params: { file_id: "file-abc123" }, query: { provider: "openai" }, response: undefined }
})
