import type { Platform } from "@gatewarden/core"
import { makePlatform } from "@gatewarden/core/effect"
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
export const nodePlatform = (): Platform => makePlatform("node", layerPlatform)
