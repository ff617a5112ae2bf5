import { Layer } from "effect"

/** Whether an opaque value of the Promise door is what a package of ours made: not the function that makes it, and no URL. */
export const holdsLayer = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "layer" in value && Layer.isLayer(value.layer)
