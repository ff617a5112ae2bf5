import { Layer } from "effect"

/** Whether a value is a store or platform created by a Gatewarden package, and not the function that creates one, or a URL. */
export const holdsLayer = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "layer" in value && Layer.isLayer(value.layer)

/** The same of a store, which may load its layer later. */
export const holdsStore = (value: unknown): boolean =>
  holdsLayer(value) ||
  (typeof value === "object" && value !== null && "load" in value && typeof value.load === "function")
