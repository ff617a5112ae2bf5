import { type Gatewarden, type GatewardenOptions, createGatewarden as createInstance } from "@gatewarden/core"
import { nodePlatform } from "../platform/nodePlatform.ts"

/**
 * Makes an instance on Node: the core's `createGatewarden` with `node:crypto`, worker threads for content filters, and the engine `re2` where
 * the host has installed it. It does background work unless `background` is `false`.
 *
 * @param options the same as the core's, see [GatewardenOptions](#gatewardenoptions)
 * @returns the same instance as the core's
 * @throws the same as the core's
 * @example
 * const gatewarden = await createGatewarden({ store: postgres({ url: process.env["DATABASE_URL"] }), keyring })
 */
export const createGatewarden = (options: GatewardenOptions): Promise<Gatewarden> =>
  createInstance({ platform: nodePlatform(), background: true, ...options })
