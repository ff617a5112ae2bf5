/** URLs are not parsed before their length is known: a parser takes the square of the length of a host. */
import {
  alertChannelConfigs,
  CreatePrivateProvider,
  destinationTypes,
  ProviderInfo
} from "@gatewarden/contract/internal"
import { assert, it } from "@effect/vitest"

const host = Array.from({ length: 20_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join("")
const long = `https://${host.repeat(50)}.test/`

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
