/** A store as the Promise door hands it around: opaque, made by `memory()` or by a store package. */
declare const storeBrand: unique symbol

/** Where everything is remembered. Nothing is opened until an instance is created with it. */
export interface Store {
  /** `memory`, `postgres`, `pool` or `pglite`. */
  readonly name: string
  readonly [storeBrand]: true
}
