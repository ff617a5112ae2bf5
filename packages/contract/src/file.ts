/**
 * Files: what requests refer to by id, kept by Gatewarden or by an upstream provider.
 *
 * Rule: files#uploads, files#who-may-use-files, requests#wire-profiles.
 */
import * as z from "zod"
import { operation } from "./operation.ts"
import { entriesOf, queryInteger, timestamp, uuid } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  _shape: "Marks the shape of the answer for `@openrouter/sdk`. Other clients do not get it."
} as const

/** Bytes of the largest file (Rule: requests#body-sizes). */
export const maxFileBytes = 100_000_000

/** Files of the largest page of a list. */
export const maxFilesOfPage = 1_000

/** Providers whose file API can store a file in place of Gatewarden's own storage. */
export const FileProvider = z.enum(["openai", "anthropic"])
export type FileProvider = z.output<typeof FileProvider>

/** Ids of Gatewarden's files and of providers' files. Rule: files#file-ids. */
export const fileId = z.string().regex(/^[A-Za-z0-9_-]{1,256}$/, "Expected letters, digits, underscores or hyphens")

/** The shape of the answer, for the public client, which knows several (Rule: files#shapes). Other clients do not get this field. */
const shape = z.literal("openrouter").optional()

export const StoredFile = z
  .object({
    _shape: shape.describe(about._shape),
    id: z.string().describe("Id of the file."),
    type: z.literal("file").describe("Always `file`: the kind of the object."),
    filename: z.string().describe("Name of the file, as it was uploaded."),
    mime_type: z.string().describe("Media type, detected from the content."),
    size_bytes: z.int().describe("Size of the content in bytes."),
    created_at: timestamp.describe("Time when the upload began, in UTC."),
    downloadable: z
      .boolean()
      .describe("Whether `GET /files/{file_id}/content` returns the content. `false` for uploaded files."),
    purpose: z.string().optional().describe("Purpose of the file at OpenAI. Absent: the file is not OpenAI's.")
  })
  .meta({ id: "File", description: "A stored file." })
export type StoredFile = z.output<typeof StoredFile>

export const FileDeleted = z
  .object({
    _shape: shape.describe(about._shape),
    id: z.string().describe("Id of the deleted file."),
    type: z.literal("file_deleted").describe("Always `file_deleted`: the kind of the object.")
  })
  .meta({ id: "FileDeleted", description: "Confirmation that a file was deleted." })
export type FileDeleted = z.output<typeof FileDeleted>

export const FileList = z
  .object({
    _shape: shape.describe(about._shape),
    data: entriesOf(StoredFile),
    first_id: z.string().nullable().describe("Id of the first file on the page. `null`: the page is empty."),
    last_id: z.string().nullable().describe("Id of the last file on the page. `null`: the page is empty."),
    has_more: z.boolean().describe("Whether more files follow this page."),
    cursor: z.string().nullable().describe("Value of `cursor` for the next page. `null`: this is the last page.")
  })
  .meta({ id: "FileList", description: "A page of files." })
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

const fileParams = z.object({ file_id: fileId.describe("Id of the file: letters, digits, `_` and `-`.") })

const fileQuery = z.object({
  workspace_id: uuid
    .optional()
    .describe(
      "Id of the workspace, with a management key. Default: the default workspace of the account. An API key acts in its own workspace."
    ),
  provider: FileProvider.optional().describe(
    "Provider whose file storage is used, with the workspace's own credential for it. Default: Gatewarden's storage."
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
    limit: queryInteger({ min: 1, max: maxFilesOfPage, default: 50 }).describe("Maximum number of files on the page."),
    cursor: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,300}$/, "Expected `cursor` of an answer")
      .optional()
      .describe("Place to continue at: `cursor` of the previous page."),
    after: fileId.optional().describe("Id of the file before the page, as OpenAI's client sends it."),
    after_id: fileId.optional().describe("Id of the file before the page, as Anthropic's client sends it."),
    before_id: unsupported("Files are listed forwards only; send after_id")
      .optional()
      .describe("Not supported: the request returns 400."),
    order: z
      .literal("asc", "Files are listed in ascending order only")
      .optional()
      .describe("Order of the files. Only `asc`, the oldest first, is supported.")
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
  example: { params: { file_id: "file-9VtQ2kXhLm3RzYb7NcWs5D" }, query: { provider: "openai" }, response: undefined }
})
