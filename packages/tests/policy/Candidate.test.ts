/** What a decision knows of an endpoint, from its entry in the catalog and from a credential. */
import { assert, describe, it } from "@effect/vitest"
import type { CatalogEndpoint, Region } from "@gatewarden/contract/internal"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import {
  type ByokKey,
  type Candidate,
  candidateOf,
  firstPartyProviders,
  policedModel,
  withBroughtKey
} from "../../core/src/policy/Candidate.ts"

const groups = new Map(Object.entries(firstPartyProviders))

const of = (provider: string, fields: Partial<CatalogEndpoint> = {}): Candidate =>
  candidateOf(catalogModel("a/one"), catalogEndpoint(provider, fields), groups)

describe("candidateOf", () => {
  it("has what the catalog says of the endpoint and its model", () => {
    const endpoint = catalogEndpoint("openai", {
      provider_name: "Open AI",
      tag: "openai/fast",
      data_regions: ["us", "europe"],
      zero_data_retention: true,
      trains_on_data: true,
      publishes_prompts: true,
      pricing: { prompt: "0.1", completion: "0" }
    })
    assert.deepEqual(candidateOf(catalogModel("a/one:free", { canonical_slug: "a/one-2026" }), endpoint, groups), {
      model: "a/one:free",
      model_name: "a/one-2026:free",
      model_names: ["a/one:free", "a/one-2026:free", "a/one", "a/one-2026"],
      endpoint_tag: "openai/fast",
      provider: "openai",
      provider_names: ["openai", "open ai", "openai/fast"],
      data_regions: ["us", "europe"],
      follows_account: false,
      zdr_group: "openai",
      retains: false,
      trains: true,
      publishes: true,
      distillable: false,
      free: false,
      endpoint,
      source: "shared",
      byok_id: null,
      label: null,
      claims: []
    })
  })

  it("takes what is not declared for the worst: it retains, and may not be distilled", () => {
    const { retains, trains, publishes, distillable } = of("acme")
    assert.deepEqual(
      { retains, trains, publishes, distillable },
      {
        retains: true,
        trains: false,
        publishes: false,
        distillable: false
      }
    )
  })

  it("reads from the listing alone whether a model may be distilled", () => {
    const distillable = (listing: object) =>
      candidateOf(catalogModel("a/one", { listing }), catalogEndpoint("acme"), groups).distillable
    assert.deepEqual([{ distillable: true }, { distillable: false }, {}].map(distillable), [true, false, false])
  })

  it("groups a vendor's own endpoints, and all others under other", () => {
    const group = (provider: string) => of(provider).zdr_group
    assert.deepEqual(["openai", "anthropic", "anthropic/2", "google-ai-studio", "xai", "azure", "acme"].map(group), [
      "openai",
      "anthropic",
      "anthropic",
      "google",
      "xai",
      "other",
      "other"
    ])
  })

  it("takes for free what costs nothing to read and nothing to write", () => {
    const isFree = (prompt: string, completion: string) => of("acme", { pricing: { prompt, completion } as never }).free
    assert.isTrue(isFree("0", "0.000"))
    for (const price of ["10", "0.000001", "1", "0.10", "-1"]) {
      assert.isFalse(isFree(price, "0"), price)
      assert.isFalse(isFree("0", price), price)
    }
  })

  it("marks the account's own models, and no others", () => {
    const own = (fields: { readonly own?: boolean }) =>
      candidateOf({ ...catalogModel("a/one"), ...fields } as never, catalogEndpoint("acme"), groups)
    assert.strictEqual(own({ own: true }).own_model, true)
    assert.notProperty(own({}), "own_model")
    assert.notProperty(own({ own: false }), "own_model")
  })
})

describe("an endpoint that follows the account of its key", () => {
  const follows = (output: string, fields: object) =>
    candidateOf(
      catalogModel("a/one", { architecture: { input_modalities: ["text"], output_modalities: ["text", output] } }),
      { ...catalogEndpoint("acme"), ...fields } as Candidate["endpoint"],
      groups
    ).follows_account

  it("lies nowhere in particular, is not private, and makes no videos", () => {
    const upstream = { base_url: "https://inference.example.com", model: "m" }
    assert.isTrue(follows("image", { data_regions: ["global"] }))
    assert.isFalse(follows("image", { data_regions: ["global", "us"] }))
    assert.isFalse(follows("image", { data_regions: ["global"], upstream }))
    assert.isFalse(follows("video", { data_regions: ["global"] }))
  })
})

describe("policedModel", () => {
  it("has the names of an entry of the catalog", () => {
    const { model, model_name, model_names } = policedModel(
      "A/One",
      catalogModel("a/one", { canonical_slug: "a/one-2026" })
    )
    assert.deepEqual([model, model_name, model_names], ["a/one", "a/one-2026", ["a/one", "a/one-2026"]])
  })

  it("has the name as it was asked for where the catalog has none", () =>
    assert.deepEqual(policedModel("A/None:free", undefined), {
      model: "A/None:free",
      model_name: "A/None:free",
      model_names: ["a/none:free", "a/none"]
    }))
})

describe("withBroughtKey", () => {
  const key = (fields: Partial<ByokKey> = {}): ByokKey => ({
    id: "k",
    label: "sk-...1",
    declared_zdr: null,
    declared_region: null,
    ...fields
  })

  it("is the same endpoint by the workspace's own key", () => {
    const shared = of("acme", { data_regions: ["us"] })
    assert.deepEqual(withBroughtKey(shared, key()), {
      ...shared,
      declared_region: undefined,
      source: "byok",
      byok_id: "k",
      label: "sk-...1"
    })
  })

  it("retains as the key declares, else as the endpoint does", () => {
    const retains = (zero_data_retention: boolean, declared_zdr: boolean | null) =>
      withBroughtKey(of("acme", { zero_data_retention }), key({ declared_zdr })).retains
    for (const zdr of [true, false]) {
      assert.strictEqual(retains(zdr, null), !zdr)
      assert.isFalse(retains(zdr, true))
      assert.isTrue(retains(zdr, false))
    }
  })

  it("lies where the key declares if the endpoint follows the account, else where both agree, or anywhere", () => {
    const regions = (data_regions: Region[], declared_region: Region | null) =>
      withBroughtKey(of("acme", { data_regions }), key({ declared_region })).data_regions
    assert.deepEqual(regions(["global"], "us"), ["us"])
    assert.deepEqual(regions(["global", "us", "europe"], "us"), ["global", "us"])
    assert.deepEqual(regions(["europe"], "us"), [])
    for (const declared of [null, "global"] as const)
      assert.deepEqual(regions(["global", "us", "europe"], declared), ["global", "us", "europe"])
  })
})
