import { Layer } from "effect"

/** Whether an opaque value of the Promise door is what a package of ours made: not the function that makes it, and no URL. */
export const holdsLayer = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "layer" in value && Layer.isLayer(value.layer)

/** The same of a store, which may load its layer later. */
export const holdsStore = (value: unknown): boolean =>
  holdsLayer(value) ||
  (typeof value === "object" && value !== null && "load" in value && typeof value.load === "function")
