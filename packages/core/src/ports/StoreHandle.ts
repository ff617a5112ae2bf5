/** A store as an opaque value, created by `memory()` or by a store package. */
declare const storeBrand: unique symbol

/** The store of an instance. Nothing is opened until an instance is created with it. */
export interface Store {
  /** `memory`, `postgres`, `pool` or `pglite`. */
  readonly name: string
  readonly [storeBrand]: true
}
