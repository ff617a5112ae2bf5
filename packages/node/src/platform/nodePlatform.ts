import type { Platform } from "@gatewarden/core"
import { makePlatform } from "@gatewarden/core/effect"
import { layerPlatform } from "./layerPlatform.ts"

/** For `createGatewarden`. Threads are started when a text needs one, and end with the instance. */
export const nodePlatform = (): Platform => makePlatform("node", layerPlatform)
