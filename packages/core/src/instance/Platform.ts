/** A platform as an opaque value, created by a platform package. */
declare const platformBrand: unique symbol

/** Faster implementations of a runtime: synchronous digests, native engines, threads. Opened with each instance. */
export interface Platform {
  /** Such as `node`. */
  readonly name: string
  readonly [platformBrand]: true
}
