/** URLs are not parsed before their length is known: a parser takes the square of the length of a host. */
import {
  alertChannelConfigs,
  CreatePrivateProvider,
  destinationTypes,
  ProviderInfo
} from "@gatewarden/contract/internal"
import { assert, it } from "@effect/vitest"

/** No URL either, which only a parser would find. */
const long = "x".repeat(2_049)

const [endpoint] = destinationTypes.flatMap(({ config: { shape } }) =>
  "bucketName" in shape && "endpoint" in shape ? [shape.endpoint] : []
)

it.each([
  ["alert channel", alertChannelConfigs.webhook.shape.url],
  ["provider of a catalog", ProviderInfo.shape.privacy_policy_url],
  ["private provider", CreatePrivateProvider.shape.privacy_policy_url],
  ["destination", endpoint]
] as const)("%s: refused by its length", (_, schema) => {
  const { error } = schema?.safeParse(long) ?? {}
  assert.deepEqual(
    error?.issues.map(({ code }) => code),
    ["too_big"]
  )
  assert.isTrue(schema?.safeParse("https://example.com/").success)
  assert.isFalse(schema?.safeParse("nowhere").success)
})
