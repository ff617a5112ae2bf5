import type { Stream } from "effect"
import type { BodyFailure } from "../failure.ts"

/** An uploaded file, while it arrives. */
export interface UploadedFile {
  readonly filename: string
  /** To be read once. It fails where the rest of the form is not as it has to be, so the file is good when this has ended. */
  readonly content: Stream.Stream<Uint8Array, BodyFailure>
}
