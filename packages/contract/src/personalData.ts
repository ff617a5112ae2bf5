/**
 * What names one person, as lines of JSON, a page at a time.
 *
 * Rule: access#personal-data.
 */
import * as z from "zod"
import { namedExternalUser } from "./externalUser.ts"
import { operation } from "./operation.ts"
import { queryInteger, text } from "./primitives.ts"
import { usageExportTypes } from "./usageExport.ts"

/** Rows of the longest page. */
export const maxPersonalRows = 10_000

export const exportPersonalData = operation({
  id: "exportPersonalData",
  method: "GET",
  path: "/gateway/personal-data",
  tag: "Organization",
  changes: "nothing",
  summary: "Export what names a person",
  description:
    "Every row of the account that names one user (`user_id`) or one external user (`external_user`), as NDJSON. Each line has `table`, the kind of the row, and its fields; `named_in` lists the fields that name the person. Secrets are left out, and so are other persons that a row names beside this one. If there are more rows, the header `x-next-cursor` has the cursor of the next page and `Link` its address; a page may have no rows and still name the next. Without restrictions only: a restricted management key may not call it.",
  access: "managementKey",
  unrestrictedOnly: true,
  query: z.object({
    user_id: text(1, 256)
      .optional()
      .describe("Id of the user, exactly as stored. Send either this or `external_user`."),
    external_user: namedExternalUser
      .optional()
      .describe("Your name for the external user, exactly as stored. Send either this or `user_id`."),
    limit: queryInteger({ min: 1, max: maxPersonalRows, default: 1000 }).describe(
      "Maximum number of rows on the page."
    ),
    cursor: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,1024}$/, "Expected `x-next-cursor` of an answer")
      .optional()
      .describe("Place to continue at: `x-next-cursor` of the previous page. Keep the other parameters.")
  }),
  success: {
    schema: z.custom<ReadableStream<Uint8Array>>((value) => value instanceof ReadableStream),
    bytes: true,
    byteTypes: [usageExportTypes.ndjson]
  },
  errors: [400, 401, 403, 500],
  example: { query: { user_id: "user-7", limit: "100" }, response: undefined }
})
