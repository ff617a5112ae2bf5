/** A platform as the Promise door hands it around: opaque, made by a platform package. */
declare const platformBrand: unique symbol

/** What a runtime does better than the core alone: digests at once, native engines, threads. Opened with each instance. */
export interface Platform {
  /** Such as `node`. */
  readonly name: string
  readonly [platformBrand]: true
}
