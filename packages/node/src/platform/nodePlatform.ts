import type { Platform } from "@gatewarden/core"
import { OutgoingFetch, makePlatform } from "@gatewarden/core/internal"
import { Layer } from "effect"
import { guardedFetch } from "../outgoing/guardedFetch.ts"
import { layerPlatform } from "./layerPlatform.ts"

/**
 * What Node brings to an instance, for the core's `createGatewarden`; that of `@gatewarden/node` has it already. Threads start when a text needs
 * one, and end with the instance.
 *
 * @returns a platform
 * @throws nothing
 * @example
 * const gatewarden = await createGatewarden({ store: memory(), platform: nodePlatform() })
 */
export const nodePlatform = (): Platform => guardedPlatform(false)

/** The same; `allowPrivate` lets outgoing requests reach private addresses. */
export const guardedPlatform = (allowPrivate: boolean): Platform =>
  makePlatform("node", Layer.merge(layerPlatform, Layer.succeed(OutgoingFetch, guardedFetch({ allowPrivate }))))
