import type { Stream } from "effect"
import type { BodyFailure } from "../value/failure.ts"

/** A body that is one JSON value, or many lines, each checked separately. */
export type ValueOrLines<Value, Line> =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "lines"; readonly lines: Stream.Stream<Line, BodyFailure> }
