import { Context } from "effect"

export interface ContentFilterLimits {
  /** What the search for builtins and patterns may take for one request. */
  readonly budget_millis: number
  /** The time limit of the detector for one request. */
  readonly detector_millis: number
}

export const ContentFilterSettings = Context.Reference<ContentFilterLimits>("gatewarden/ContentFilterSettings", {
  defaultValue: () => ({ budget_millis: 1_000, detector_millis: 5_000 })
})
