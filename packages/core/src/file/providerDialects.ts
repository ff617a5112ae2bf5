/**
 * The differences between the file APIs of providers: one row for each.
 *
 * Source: OpenAI API reference, Files; Anthropic API reference, Files (beta `files-api-2025-04-14`). Only fields that match the schema are
 * used.
 */
import { type FileProvider, fileId, type StoredFile } from "@gatewarden/contract/internal"
import * as z from "zod"
import { formatInstant } from "../value/calendar.ts"

/** A provider's data of a file; `mime_type` is `null` if it is not given. */
export interface ProviderFileFacts extends Omit<StoredFile, "_shape" | "type" | "mime_type"> {
  readonly mime_type: string | null
}

export interface ProviderDialect {
  readonly baseUrl: string
  readonly headers: (key: string) => Readonly<Record<string, string>>
  /** Form fields of an upload in addition to the file. */
  readonly fields: Readonly<Record<string, string>>
  readonly file: z.ZodType<ProviderFileFacts>
  /** The query of a page of the list, oldest first where the provider can. */
  readonly pageQuery: (limit: number, after: string | undefined) => Readonly<Record<string, string>>
  /** The id of a file that is gone now. */
  readonly deleted: z.ZodType<string>
}

/** A page of either provider's list, whose files are read one by one. */
export const providerPage = z.object({ data: z.array(z.unknown()), has_more: z.boolean() })

const size = z.int().min(0)
const name = z.string().max(4096)

const instant = z.iso.datetime({ offset: true }).transform((text, context) => {
  const millis = Date.parse(text)
  if (!Number.isNaN(millis)) return formatInstant(millis)
  context.addIssue({ code: "custom", message: "Expected an instant" })
  return z.NEVER
})

/** The last second that ISO 8601 has four digits for the year of. */
const lastSecond = 253_402_300_799

/** Purposes of files that OpenAI made. It refuses the content of most others. */
const madeByOpenAi: ReadonlySet<string> = new Set(["assistants_output", "batch_output", "fine-tune-results"])

export const providerDialects: Readonly<Record<FileProvider, ProviderDialect>> = {
  openai: {
    baseUrl: "https://api.openai.com",
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    fields: { purpose: "user_data" },
    file: z
      .object({
        id: fileId,
        object: z.literal("file"),
        bytes: size,
        created_at: z.number().min(0).max(lastSecond),
        filename: name,
        purpose: z.string().max(255).optional()
      })
      .transform(({ id, bytes, created_at, filename, purpose }) => ({
        id,
        filename,
        mime_type: null,
        size_bytes: bytes,
        created_at: formatInstant(created_at * 1000),
        downloadable: purpose !== undefined && madeByOpenAi.has(purpose),
        ...(purpose === undefined ? {} : { purpose })
      })),
    pageQuery: (limit, after) => ({ limit: String(limit), order: "asc", ...(after === undefined ? {} : { after }) }),
    deleted: z.object({ id: fileId, object: z.literal("file"), deleted: z.literal(true) }).transform(({ id }) => id)
  },
  anthropic: {
    baseUrl: "https://api.anthropic.com",
    headers: (key) => ({
      "x-api-key": key,
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "files-api-2025-04-14"
    }),
    fields: {},
    file: z
      .object({
        id: fileId,
        type: z.literal("file"),
        filename: name,
        mime_type: z.string().max(255),
        size_bytes: size,
        created_at: instant,
        downloadable: z.boolean().optional()
      })
      .transform(({ id, filename, mime_type, size_bytes, created_at, downloadable }) => ({
        id,
        filename,
        mime_type,
        size_bytes,
        created_at,
        downloadable: downloadable ?? false
      })),
    pageQuery: (limit, after) => ({ limit: String(limit), ...(after === undefined ? {} : { after_id: after }) }),
    deleted: z.object({ id: fileId, type: z.literal("file_deleted") }).transform(({ id }) => id)
  }
}
