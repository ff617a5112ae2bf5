import * as fc from "fast-check"
import { some } from "../modelBased/Thing.ts"
import { ownText } from "../admission/traffic.ts"

/** Provider keys of every length that is masked in its own way, used for files, or of a region, and hashes of keys that were met. */
export const byokFields = {
  key: fc.oneof(
    // A provider's file store behaves as its key says.
    fc.constantFrom("sk-well-", "sk-well-", "sk-refused-", "sk-gone-").chain(ownText),
    fc.constantFrom(
      "sk-0123456789ab",
      "short",
      "🙂".repeat(24),
      '{"accessKeyId":"a","secretAccessKey":"b","region":"us-east-1"}',
      '{"api_key":"sk-regional","region":"europe"}'
    )
  ),
  // Most credentials take no region.
  declared_region: fc.constantFrom(null, null, null, "global", "europe", "us"),
  allowed_api_key_hashes: fc.option(fc.array(some("key", "hash"), { maxLength: 3 }))
}
