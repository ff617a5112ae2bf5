/** The layer inside a platform. In a file of its own, because the declaration of `Platform.ts` shows no Effect type. */
import { Layer } from "effect"
import type { Platform } from "./Platform.ts"

interface LayeredPlatform extends Platform {
  readonly layer: Layer.Layer<never>
}

/** For platform packages: wraps a layer of the core's references, such as `Digest` and `TextScanner`. */
export const makePlatform = (name: string, layer: Layer.Layer<never>): Platform => ({ name, layer }) as LayeredPlatform

/** The default without a platform: WebCrypto and this thread. */
export const platformLayer = (platform: Platform | undefined): Layer.Layer<never> =>
  platform === undefined ? Layer.empty : (platform as LayeredPlatform).layer
