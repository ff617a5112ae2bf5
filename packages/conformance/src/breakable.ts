/** Wraps a store so that any of its ports can be made to fail, as a database does that is gone. */
import { StoreUnavailable, type StorePorts } from "@gatewarden/core/effect"
import { Context, Effect, Layer } from "effect"

export interface Faults {
  /** From now on the named ports (all, when none is named) die with what a lost database dies with. */
  readonly break: (...ports: readonly string[]) => void
  readonly mend: () => void
}

type Method = (...args: readonly unknown[]) => Effect.Effect<unknown>

export const breakable = <E>(store: Layer.Layer<StorePorts, E>) => {
  let broken: ReadonlySet<string> | "all" | undefined
  const faults: Faults = {
    break: (...ports) => {
      broken = ports.length === 0 ? "all" : new Set(ports)
    },
    mend: () => {
      broken = undefined
    }
  }
  const guard = (port: string, effect: Effect.Effect<unknown>): Effect.Effect<unknown> =>
    Effect.suspend(() => (broken === "all" || broken?.has(port) ? Effect.die(new StoreUnavailable({})) : effect))

  const wrap = (port: string, service: object): object =>
    new Proxy(service, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member === "function")
          return (...args: readonly unknown[]) => guard(port, (member as Method)(...args))
        return Effect.isEffect(member) ? guard(port, member as Effect.Effect<unknown>) : member
      }
    })

  const layer = Layer.effectContext(
    Effect.map(Layer.build(store), (context) => {
      let wrapped: Context.Context<never> = context as Context.Context<never>
      for (const [key, service] of context.mapUnsafe) {
        if (!key.startsWith("gatewarden/")) continue
        wrapped = Context.merge(
          wrapped,
          Context.makeUnsafe(new Map([[key, wrap(key.slice("gatewarden/".length), service as object)]]))
        )
      }
      return wrapped as Context.Context<StorePorts>
    })
  )
  return { layer, faults }
}
