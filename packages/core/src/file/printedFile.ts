import type { StoredFile } from "@gatewarden/contract"
import type { FileFacts } from "./Files.ts"

/** A file of our own storage as it is shown. What was uploaded is not handed out again (Rule: files#uploads). */
export const printedFile = ({ id, filename, mime_type, size_bytes, created_at }: FileFacts): StoredFile => ({
  id,
  type: "file",
  filename,
  mime_type,
  size_bytes,
  created_at,
  downloadable: false
})
