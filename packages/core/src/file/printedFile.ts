import type { StoredFile } from "@gatewarden/contract"
import type { FileFacts } from "../ports/files.ts"

/** A file of Gatewarden's own storage in a response. Uploaded content cannot be downloaded (Rule: files#uploads). */
export const printedFile = ({ id, filename, mime_type, size_bytes, created_at }: FileFacts): StoredFile => ({
  id,
  type: "file",
  filename,
  mime_type,
  size_bytes,
  created_at,
  downloadable: false
})
