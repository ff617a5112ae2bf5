/** Requests from a region, with credentials whose owner or key declares one. Rule: byok#declared-region. */
import { assert } from "@effect/vitest"
import { regionalKey } from "../../byok/declaredRegions.ts"
import type { Case } from "../../http/Case.ts"
import { endpoint, list, model, newAuthor } from "../../model/catalog.ts"
import { activeEndpoint } from "../../privateEndpoint/privateCases.ts"
import type { World } from "../../World.ts"
import { ask, explained, nowOf, report, restrict } from "../admissionWorld.ts"

type Fields = Readonly<Record<string, unknown>>

const plain = "sk-own-0123456789abcdefghij"

const bring = async (world: World, fields: Fields): Promise<string> => {
  const made = await world.call("createByokCredential", { body: { provider: "azure", key: plain, ...fields } })
  assert.strictEqual(made.status, 200, made.text)
  return made.json.data.id
}

/** Endpoints by their tags: their providers are what the tags begin with. */
const offer = async (world: World, endpoints: Readonly<Record<string, readonly string[]>>, fields: Fields = {}) => {
  const id = `${newAuthor()}/m`
  const made = Object.entries(endpoints).map(([tag, data_regions]) =>
    endpoint({ tag, provider_slug: tag.replace(/\/.*/, ""), provider_name: tag, data_regions })
  )
  await list(world, model(id, { endpoints: made, ...fields }))
  return id
}

interface Candidate {
  readonly endpoint_tag: string
  readonly source: string
  readonly byok_id: string | null
  readonly declared_region?: string
  readonly data_regions?: readonly string[]
  readonly allowed?: boolean
}

/**
 * The candidates of a request from a region, as an admission and an explanation have them: a credential by the name that the test gave it,
 * shared capacity as `shared`.
 */
const candidatesOf = async (world: World, body: Fields, named: Readonly<Record<string, string>> = {}) => {
  const names = new Map(Object.entries(named).map(([name, id]) => [id, name]))
  const shown = ({ endpoint_tag, byok_id }: Candidate) =>
    `${endpoint_tag} ${byok_id === null ? "shared" : names.get(byok_id)}`
  const admission = await ask(world, body)
  const explanation = await explained(world, body)
  const admitted: readonly Candidate[] = admission.json.data.candidates
  const judged: readonly Candidate[] = explanation.json.data.candidates
  assert.deepEqual(
    judged.filter(({ allowed }) => allowed).map(shown),
    admitted.map(shown),
    "an explanation says the same"
  )
  return { admission, explanation, shown: admitted.map(shown), admitted, judged }
}

/** The fields of credentials among reasons. */
const claimed = (reasons: readonly { readonly field: string }[]): readonly string[] =>
  reasons.map(({ field }) => field).filter((field) => field.startsWith("byok."))

const europe = { ingress_region: "europe" }

export const regions: readonly Case[] = [
  {
    name: "from Europe: only the credential that is declared for it, at an endpoint that does not lie there",
    status: 200,
    run: async (world) => {
      const id = await offer(world, { azure: ["global"] })
      const named = {
        none: await bring(world, {}),
        everywhere: await bring(world, { declared_region: "global" }),
        us: await bring(world, { declared_region: "us" }),
        last: await bring(world, { declared_region: "europe", is_fallback: true }),
        own: await bring(world, { declared_region: "europe" })
      }
      const asked = await candidatesOf(world, { model: id, ...europe }, named)
      assert.deepEqual(asked.shown, ["azure own", "azure last"])
      assert.deepEqual(
        asked.admitted.map(({ declared_region }) => declared_region),
        ["europe", "europe"]
      )
      assert.deepEqual(
        asked.judged.map(({ data_regions }) => data_regions),
        [["global"], ["global"], ["us"], ["europe"], ["global"], ["europe"]]
      )
      const american = await candidatesOf(world, { model: id, ingress_region: "us" }, named)
      assert.deepEqual(american.shown, ["azure us"])
      const anywhere = await candidatesOf(world, { model: id }, named)
      assert.deepEqual(
        anywhere.shown,
        ["none", "everywhere", "us", "own", "shared", "last"].map((one) => `azure ${one}`)
      )
      assert.notProperty(anywhere.admitted[0], "declared_region")
      return asked.admission
    }
  },
  {
    name: "from Europe: nothing without a declaration, and no change of policy would help",
    status: 200,
    run: async (world) => {
      const id = await offer(world, { azure: ["global"], openai: ["global"] })
      await bring(world, {})
      await bring(world, { declared_region: "us", is_required: true })
      await bring(world, { provider: "openai" })
      const { explanation, admission, shown } = await candidatesOf(world, { model: id, ...europe })
      assert.deepEqual(shown, [])
      const { data } = explanation.json
      assert.deepInclude(data, { decision: "deny", status: 404, smallest_change: null })
      assert.deepEqual(data.regions.missing, ["endpoint"])
      assert.deepEqual(data.error.availability.excluded_by, ["data_region", ...claimed(data.reasons)])
      return admission
    }
  },
  {
    name: "from Europe: a model that is served only since its owner declared the account",
    status: 200,
    run: async (world) => {
      const id = await offer(world, { azure: ["global"] })
      const own = await bring(world, {})
      const asked = async (declared_region: string | null) => {
        await world.call("updateByokCredential", { params: { id: own }, body: { declared_region } })
        return (await candidatesOf(world, { model: id, ...europe }, { own })).shown
      }
      assert.deepEqual(await asked("europe"), ["azure own"])
      assert.deepEqual(await asked("us"), [])
      assert.deepEqual(await asked("europe"), ["azure own"])
      assert.deepEqual(await asked(null), [])
      assert.deepEqual(await asked("global"), [])
      return ask(world, { model: id })
    }
  },
  {
    name: "from Europe: endpoints that lie there with whoever's capacity, but not with an account in the US",
    status: 200,
    run: async (world) => {
      const id = await offer(world, { "azure/eu": ["europe"], "azure/near": ["global", "europe"], azure: ["global"] })
      const named = {
        none: await bring(world, {}),
        us: await bring(world, { declared_region: "us" }),
        own: await bring(world, { declared_region: "europe" })
      }
      const { shown, admission } = await candidatesOf(world, { model: id, ...europe }, named)
      assert.deepEqual(shown, [
        "azure/eu none",
        "azure/near none",
        "azure/eu own",
        "azure/near own",
        "azure own",
        "azure/eu shared",
        "azure/near shared"
      ])
      return admission
    }
  },
  {
    name: "from Europe: a declaration opens no endpoint that is pinned to another region",
    status: 200,
    run: async (world) => {
      const id = await offer(world, { "azure/us": ["us"], "azure/both": ["global", "us"], azure: ["global"] })
      const own = await bring(world, { declared_region: "europe" })
      const { shown, admission } = await candidatesOf(world, { model: id, ...europe }, { own })
      assert.deepEqual(shown, ["azure own"])
      return admission
    }
  },
  {
    name: "from Europe: a declaration opens no endpoint of another provider",
    status: 200,
    run: async (world) => {
      const id = await offer(world, { anthropic: ["global"], azure: ["global"] })
      const own = await bring(world, { declared_region: "europe" })
      await bring(world, { provider: "anthropic" })
      const { shown, admission } = await candidatesOf(world, { model: id, ...europe }, { own })
      assert.deepEqual(shown, ["azure own"])
      return admission
    }
  },
  {
    name: "from Europe: a declaration opens no model of videos",
    status: 200,
    run: async (world) => {
      const architecture = { input_modalities: ["text"], output_modalities: ["text", "video"] }
      const id = await offer(world, { azure: ["global"] }, { architecture })
      await bring(world, { declared_region: "europe" })
      const { shown, admission } = await candidatesOf(world, { model: id, ...europe })
      assert.deepEqual(shown, [])
      return admission
    }
  },
  {
    name: "from Europe: a private endpoint lies where it is declared to lie, and not where a credential is",
    status: 200,
    run: async (world) => {
      const undeclared = await activeEndpoint(world, { declared_region: null }, "azure")
      const there = await activeEndpoint(world, { declared_region: "europe" }, "azure")
      const asked = async (slug: string) =>
        (await candidatesOf(world, { model: slug, ...europe, max_completion_tokens: 10 })).admitted.length
      // With the credentials that nobody declared, one for each endpoint.
      assert.deepEqual([await asked(undeclared.slug), await asked(there.slug)], [0, 2])
      await bring(world, { declared_region: "europe" })
      assert.deepEqual([await asked(undeclared.slug), await asked(there.slug)], [0, 3])
      await bring(world, { declared_region: "us" })
      assert.deepEqual([await asked(undeclared.slug), await asked(there.slug)], [0, 3])
      return ask(world, { model: there.slug, ...europe, max_completion_tokens: 10 })
    }
  },
  {
    name: "from Europe: a key with its region, until another one replaces it",
    status: 200,
    run: async (world) => {
      const id = await offer(world, { openai: ["global"] })
      const own = await bring(world, { provider: "openai", key: regionalKey("eu") })
      const asked = async () => (await candidatesOf(world, { model: id, ...europe }, { own })).shown
      assert.deepEqual(await asked(), ["openai own"])
      await world.call("updateByokCredential", { params: { id: own }, body: { key: regionalKey("us") } })
      assert.deepEqual(await asked(), [])
      await world.call("updateByokCredential", { params: { id: own }, body: { key: plain } })
      assert.deepEqual(await asked(), [])
      return ask(world, { model: id })
    }
  },
  {
    name: "from Europe: a declaration opens no region that a guardrail closes",
    status: 200,
    run: async (world) => {
      const id = await offer(world, { azure: ["global"] })
      await bring(world, { declared_region: "europe" })
      await restrict(world, { allowed_data_regions: ["us"] })
      const { shown, admission, explanation } = await candidatesOf(world, { model: id, ...europe })
      assert.deepEqual(shown, [])
      assert.deepInclude(admission.json.data, { decision: "deny", status: 403 })
      assert.deepEqual(explanation.json.data.regions, {
        ingress: "europe",
        allowed: ["us"],
        missing: ["ingress", "endpoint"]
      })
      return admission
    }
  },
  {
    name: "from elsewhere: the smallest change names the ingress that the declared credential serves",
    status: 200,
    run: async (world) => {
      const id = await offer(world, { azure: ["global"] })
      await bring(world, { declared_region: "europe" })
      await restrict(world, { allowed_data_regions: ["europe", "us"] })
      return explained(world, { model: id })
    },
    check: ({ json: { data } }) =>
      assert.deepEqual(data.smallest_change, [
        { scope: "request", guardrail_id: null, field: "ingress_region", from: "global", to: "europe" }
      ])
  },
  {
    name: "from Europe: a replay judges uses of credentials with those that the key has, and others without",
    status: 200,
    run: async (world) => {
      const id = await offer(world, { azure: ["global"] })
      const event = (name: string, fields: Fields) => ({
        ...report(world, "0.5", { model: id, provider: "azure", endpoint_tag: "azure", ...fields }).event,
        id: `${name} ${world.account_id}`,
        api_key_hash: world.normalKeyHash
      })
      await world.call("recordUsageEvents", {
        body: {
          events: [
            event("own", { data_region: "europe", byok: true, byok_cost_usd: "1" }),
            event("shared", { data_region: "europe" }),
            event("anywhere", { byok: true })
          ]
        }
      })
      const end = new Date(world.installation.clock.now + 1000).toISOString()
      const blocked = async () => {
        const { json } = await world.call("createExplanation", { body: { replay: { start: nowOf(world), end } } })
        return json.data.blocked as number
      }
      assert.strictEqual(await blocked(), 2, "without credentials")
      const own = await bring(world, { declared_region: "us" })
      assert.strictEqual(await blocked(), 2, "with one for another region")
      await world.call("updateByokCredential", { params: { id: own }, body: { declared_region: "europe" } })
      assert.strictEqual(await blocked(), 1, "but that of shared capacity")
      await world.call("updateByokCredential", { params: { id: own }, body: { allowed_user_ids: [] } })
      assert.strictEqual(await blocked(), 2, "with one that nobody may use")
      return ask(world, { model: id })
    }
  }
]
