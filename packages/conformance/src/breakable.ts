/** Wraps a store so that any of its ports can be made to fail, as a database does that is gone. */
import { FileStorageUnavailable, OutcomeUnknown, StoreUnavailable, type StorePorts } from "@gatewarden/core/store"
import { Effect, type Layer } from "effect"
import { wrapPorts } from "./wrapPorts.ts"

export interface Faults {
  /** From now on the named ports (all, when none is named) die with what a lost database dies with. */
  readonly break: (...ports: readonly string[]) => void
  /** From now on the named ports die as when the connection breaks while a change is being committed. */
  readonly doubt: (...ports: readonly string[]) => void
  /** From now on the named ports do not come back, as a database does that has too much to do. */
  readonly stall: (...ports: readonly string[]) => void
  readonly mend: () => void
}

/** A storage of files may be another thing than the store. */
const gone = (port: string) => (port === "FileContents" ? new FileStorageUnavailable({}) : new StoreUnavailable({}))

export const breakable = <E>(store: Layer.Layer<StorePorts, E>) => {
  let broken: ReadonlySet<string> | "all" | undefined
  let doubted: ReadonlySet<string> = new Set()
  let stalled: ReadonlySet<string> = new Set()
  const faults: Faults = {
    break: (...ports) => {
      broken = ports.length === 0 ? "all" : new Set(ports)
    },
    doubt: (...ports) => {
      doubted = new Set(ports)
    },
    stall: (...ports) => {
      stalled = new Set(ports)
    },
    mend: () => {
      broken = undefined
      stalled = new Set()
      doubted = new Set()
    }
  }
  const layer = wrapPorts(store, (port, effect) =>
    Effect.suspend((): Effect.Effect<unknown> => {
      if (broken === "all" || broken?.has(port)) return Effect.die(gone(port))
      if (stalled.has(port)) return Effect.never
      return doubted.has(port) ? Effect.die(new OutcomeUnknown({})) : effect
    })
  )
  return { layer, faults }
}
