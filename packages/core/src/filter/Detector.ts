/**
 * Finds what no regular expression can: names of persons and addresses. There is none by default; then `block` and `redact` refuse the
 * request.
 *
 * Rule: content-filters#detectors. `presidioDetector` is an adapter; a host may write another with `detectorOf`.
 */
import { Context, Data, Effect } from "effect"
import type { Span } from "./readings/Reading.ts"

export type DetectedKind = "person-name" | "address"

export interface Detection extends Span {
  readonly kind: DetectedKind
}

/** No detector, no answer in time, or a malformed one. Without a cause, because it may repeat the text. */
export class DetectorFailed extends Data.TaggedError("DetectorFailed")<{}> {}

export interface DetectorFunctions {
  /** The findings of these kinds in the text, as offsets in UTF-16 code units. */
  readonly detect: (text: string, kinds: readonly DetectedKind[]) => Effect.Effect<readonly Detection[], DetectorFailed>
}

export const Detector = Context.Reference<DetectorFunctions | undefined>("gatewarden/Detector", {
  defaultValue: () => undefined
})

/** Wraps a host's own detector. A rejection, or no answer within `timeoutMillis` (default 2,000), is a failure. */
export const detectorOf = (
  detect: (
    text: string,
    kinds: readonly DetectedKind[],
    options: { readonly signal: AbortSignal }
  ) => Promise<readonly Detection[]>,
  { timeoutMillis = 2_000 }: { readonly timeoutMillis?: number } = {}
): DetectorFunctions => ({
  detect: (text, kinds) =>
    Effect.tryPromise({
      try: (signal) => detect(text, kinds, { signal }),
      catch: () => new DetectorFailed()
    }).pipe(
      Effect.timeoutOrElse({ duration: timeoutMillis, orElse: () => Effect.fail(new DetectorFailed()) }),
      Effect.filterOrFail(
        (found) => found.every(({ start, end }) => start >= 0 && start < end && end <= text.length),
        () => new DetectorFailed()
      )
    )
})
