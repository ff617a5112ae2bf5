/** Random bytes and ids. A service, so that tests can repeat a run. */
import { Context } from "effect"

export interface EntropySource {
  readonly bytes: (size: number) => Uint8Array
  /** A random UUID (RFC 9562, version 4). */
  readonly uuid: () => string
}

export const Entropy = Context.Reference<EntropySource>("gatewarden/Entropy", {
  defaultValue: () => ({
    bytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
    uuid: () => crypto.randomUUID()
  })
})
