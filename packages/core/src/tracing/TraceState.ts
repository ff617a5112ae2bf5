import { Context } from "effect"

/** The caller's `tracestate`, kept on the span that stands for the caller and handed on as it came. */
export const TraceState = Context.Reference<string | undefined>("gatewarden/TraceState", {
  defaultValue: () => undefined
})
