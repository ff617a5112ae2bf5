import { createGatewarden as createInstance, type Gatewarden, type GatewardenOptions } from "@gatewarden/core"
import { nodePlatform } from "./platform/nodePlatform.ts"

/**
 * The core's `createGatewarden` with all that Node can do: `node:crypto`, threads that look through texts, and the engine `re2`
 * where the host has installed it; and it does background work, unless `background` is `false`. Takes the same options, answers the same instance and rejects with the same errors.
 */
export const createGatewarden = (options: GatewardenOptions): Promise<Gatewarden> =>
  createInstance({ platform: nodePlatform(), background: true, ...options })
