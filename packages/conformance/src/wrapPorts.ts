/** Puts something around every effect of every port of a store. */
import type { StorePorts } from "@gatewarden/core/store"
import { Context, Effect, Layer } from "effect"

type Around = (port: string, effect: Effect.Effect<unknown>, method: string) => Effect.Effect<unknown>
type Method = (...args: readonly unknown[]) => unknown

const wrap = (port: string, service: object, around: Around): object => {
  const wrapped = (member: unknown, name: string | symbol): unknown =>
    Effect.isEffect(member) ? around(port, member as Effect.Effect<unknown>, String(name)) : member
  return new Proxy(service, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      return typeof member === "function"
        ? (...args: readonly unknown[]) => wrapped((member as Method)(...args), name)
        : wrapped(member, name)
    }
  })
}

/** `around` gets the port's name and the effect that one of its members is or answers, and the member's name. */
export const wrapPorts = <E>(store: Layer.Layer<StorePorts, E>, around: Around): Layer.Layer<StorePorts, E> =>
  Layer.effectContext(
    Effect.map(Layer.build(store), (context) => {
      let wrapped: Context.Context<never> = context as Context.Context<never>
      for (const [key, service] of context.mapUnsafe) {
        if (!key.startsWith("gatewarden/")) continue
        const port = wrap(key.slice("gatewarden/".length), service as object, around)
        wrapped = Context.merge(wrapped, Context.makeUnsafe(new Map([[key, port]])))
      }
      return wrapped as Context.Context<StorePorts>
    })
  )
