import type { RequestSpan } from "./RequestSpan.ts"

/** The name of the model's span: its own, otherwise that of the trace if it is all there is of it, otherwise the model. */
export const spanName = ({ keys, delivered }: RequestSpan): string =>
  keys.generation_name ??
  (keys.span_name === undefined && keys.parent_span_id === undefined ? keys.trace_name : undefined) ??
  delivered.event.model
