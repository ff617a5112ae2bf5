import type { EntropySource } from "../platform/Entropy.ts"
import { base62 } from "../value/base62.ts"

const length = 24

/** `gw_file_` and 24 base62 characters, 142 bits of randomness: ids cannot be guessed. */
export const newFileId = (bytes: EntropySource["bytes"]): string => `gw_file_${base62(length, bytes)}`
