import type { StoredFile } from "@gatewarden/contract"
import type { FileFacts } from "./Files.ts"

/** A file of our own storage as it is shown. What was uploaded is not handed out again (public API 2.6). */
export const printedFile = ({ id, filename, mime_type, size_bytes, created_at }: FileFacts): StoredFile => ({
  id,
  type: "file",
  filename,
  mime_type,
  size_bytes,
  created_at,
  downloadable: false
})
