import type { Stream } from "effect"
import type { BodyFailure } from "../value/failure.ts"

/** An uploaded file, while it arrives. */
export interface UploadedFile {
  readonly filename: string
  /** Can be read once. Fails if the rest of the form is malformed, so the file is valid when the stream has ended. */
  readonly content: Stream.Stream<Uint8Array, BodyFailure>
}
