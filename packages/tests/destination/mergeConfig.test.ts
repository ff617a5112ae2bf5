import { type Destination, destinationTypes } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maskConfig, mergeConfig } from "../../core/src/destination/config.ts"
import { looksMaskedUrl, maskUrl } from "../../core/src/destination/maskUrl.ts"
import { looksMasked, maskSecret } from "../../core/src/vault/maskSecret.ts"

/** A config of a type with any text in every field, be it one that the type accepts or not: merging looks at names alone. */
const configs = fc.constantFrom(...destinationTypes).chain(({ type, config }) =>
  fc
    .record({
      fields: fc.record(
        Object.fromEntries(
          Object.keys(config.shape)
            .filter((field) => field !== "headers")
            .map((field) => [field, fc.oneof(fc.string(), fc.string({ minLength: 24, maxLength: 40 }), fc.webUrl())])
        )
      ),
      headers: fc.dictionary(fc.constantFrom("A", "Authorization", "__proto__", "constructor"), fc.string())
    })
    .map(({ fields, headers }) => ({ type, config: { ...fields, headers } as unknown as Destination["config"] }))
)

describe("mergeConfig", () => {
  it("leaves a config that is sent back as it is shown, whole or in parts", () => {
    fc.assert(
      fc.property(configs, fc.nat({ max: 1023 }), ({ type, config }, sent) => {
        const shown = Object.entries(maskConfig(type, config)).filter((_, index) => (sent >> index) & 1)
        const merged = mergeConfig(type, config, Object.fromEntries(shown))
        assert.deepEqual(merged.config, { ...config })
        assert.deepEqual(merged.masked, [])
      })
    )
  })

  it("takes what is not shaped like a mask as it is", () => {
    fc.assert(
      fc.property(configs, configs, ({ type, config }, other) => {
        const shown = maskConfig(type, config) as Readonly<Record<string, unknown>>
        const sent = Object.fromEntries(
          Object.entries(other.config).filter(
            ([field, value]) =>
              typeof value === "string" && !value.includes("..") && !value.includes("*") && value !== shown[field]
          )
        )
        const known = Object.fromEntries(Object.entries(sent).filter(([field]) => field in config))
        assert.deepEqual(mergeConfig(type, config, sent), { config: { ...config, ...known }, masked: [] })
      })
    )
  })
})

describe("a secret in the path of a URL", () => {
  const url = "https://hooks.example.com/services/T0123456/B0123456/AbCdEfGhIjKlMnOpQrStUvWx"
  const stored = { url, method: "POST" } as never

  it("stays where its mask comes back", () => {
    const { url: shown } = maskConfig("webhook", stored) as unknown as { readonly url: string }
    assert.notInclude(shown, "AbCdEf")
    assert.deepEqual(mergeConfig("webhook", stored, { url: shown }), { config: stored, masked: [] })
  })

  it("is not replaced by another mask", () => {
    const sent = { url: "https://elsewhere.example.com/services/T0123456/B0123456/Ab...UvWx" }
    assert.deepEqual(mergeConfig("webhook", stored, sent).masked, ["config.url"])
  })
})

describe("looksMasked", () => {
  it("is true of every mask", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."abcXYZ019-_"), minLength: 1, maxLength: 60 }), (secret) => {
        assert.isTrue(looksMasked(maskSecret(secret)))
        const url = maskUrl(`https://u:${secret}@example.com/?token=${secret}&x=1`)
        assert.isTrue(looksMaskedUrl(url), url)
        assert.isTrue(looksMaskedUrl(maskUrl(`https://example.com/?x=1&token=${secret}#f`)))
        const hook = maskUrl(`https://example.com/hooks/${secret}aB3${"x".repeat(17)}/in`)
        assert.isTrue(looksMaskedUrl(hook), hook)
      })
    )
    for (const mask of ["{...}", "********", "************...AbCd", "space_...EfGh", "pk-l...EfGh", "..."])
      assert.isTrue(looksMasked(mask), mask)
  })

  it("is false of credentials, sentences and patterns", () => {
    for (const text of [
      "sk-lf-0123456789",
      "eyJ0.eyJ1.c2ln",
      "Wait for it ...",
      "Bearer a...b.c",
      "***",
      "a..b",
      "",
      "1.2...3.4"
    ])
      assert.isFalse(looksMasked(text), text)
    for (const url of [
      "https://example.com/a...b?x=1",
      "https://...",
      "https://a@example.com",
      "x?token=...",
      "...@example.com"
    ])
      assert.isFalse(looksMaskedUrl(url), url)
  })
})
