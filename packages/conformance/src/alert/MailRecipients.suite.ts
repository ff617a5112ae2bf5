/** Holds a store to what recipients of mail need: an address confirms by its last link, once for an account, while a channel names it. */
import type { ChannelFields } from "@gatewarden/core/store"
import { AlertChannels, MailRecipients, type StorePorts, Workspaces } from "@gatewarden/core/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { newTenant, type Tenant } from "../delivery/waitingEvents.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { confirmed } from "./confirmed.ts"

const now = "2026-03-04T12:00:00.000Z"
const later = "2026-03-04T12:00:01.000Z"
const hash = (): string => `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "")

const newChannel = Effect.fnUntraced(function* ({ account_id, workspace_id }: Tenant, to: readonly string[]) {
  const channel: ChannelFields = {
    id: crypto.randomUUID(),
    workspace_id,
    name: "mail",
    type: "email",
    config: { to: [...to] },
    events: ["budget.denied"],
    quiet_time_seconds: 0,
    enabled: true,
    created_at: now,
    updated_at: null
  }
  yield* (yield* AlertChannels).insert(account_id, channel, new Uint8Array([1]))
  return channel.id
})

const unconfirmed = ({ account_id }: Tenant, ...addresses: readonly string[]) =>
  Effect.flatMap(MailRecipients, (port) => port.unconfirmed(account_id, addresses))

export const mailRecipientsSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`recipients of mail: ${name}`, () => {
    const run = storeUnderTest(makeStore, Date.parse(now))
    const test = (title: string, body: (tenant: Tenant) => Effect.Effect<void, unknown, StorePorts>) =>
      it(title, () => run(Effect.flatMap(newTenant, body)))

    test("an address confirms by its last link before it ends", (tenant) =>
      Effect.gen(function* () {
        const port = yield* MailRecipients
        const [first, second] = [hash(), hash()]
        yield* newChannel(tenant, ["b@x.example", "a@x.example"])
        const address = "a@x.example"
        assert.isTrue(yield* port.ask(tenant.account_id, { address, token_hash: first, ends_at: later }))
        assert.deepEqual(yield* unconfirmed(tenant, "b@x.example", address, "c@x.example"), [
          { address: "b@x.example", link_ends_at: null },
          { address, link_ends_at: later },
          { address: "c@x.example", link_ends_at: null }
        ])
        assert.isFalse(yield* port.confirm(first, later))
        assert.isTrue(yield* port.ask(tenant.account_id, { address, token_hash: second, ends_at: later }))
        assert.isFalse(yield* port.confirm(first, now))
        assert.isFalse(yield* port.confirm(hash(), now))
        assert.isTrue(yield* port.confirm(second, now))
        assert.isTrue(yield* port.confirm(second, now))
        assert.deepEqual(yield* unconfirmed(tenant, address), [])
        assert.isFalse(yield* port.ask(tenant.account_id, { address, token_hash: hash(), ends_at: later }))
        const other = yield* newTenant
        assert.deepEqual(yield* unconfirmed(other, address), [{ address, link_ends_at: null }])
      }))

    test("an address is forgotten when no channel of the account names it", (tenant) =>
      Effect.gen(function* () {
        const channels = yield* AlertChannels
        const other = yield* newTenant
        const [one, two, three] = ["one@x.example", "two@x.example", "three@x.example"] as const
        const first = yield* newChannel(tenant, ["One@x.example", two, three])
        const second = yield* newChannel(tenant, [two])
        yield* confirmed(tenant.account_id, [one, two, three])
        yield* newChannel(other, [one])
        yield* confirmed(other.account_id, [one])
        const forgotten = Effect.map(unconfirmed(tenant, one, two, three), (all) => all.map(({ address }) => address))
        const { account_id } = tenant
        const replaced = { replaces: new Uint8Array([1]), sealed_config: new Uint8Array([1]) }
        yield* channels.update(account_id, first, { name: "renamed" }, undefined, later)
        assert.deepEqual(yield* forgotten, [])
        yield* channels.update(account_id, first, {}, { ...replaced, config: { to: ["One@x.example", two] } }, later)
        assert.deepEqual(yield* forgotten, [three])
        yield* channels.remove(account_id, first)
        assert.deepEqual(yield* forgotten, [one, three])
        yield* channels.remove(account_id, second)
        assert.deepEqual(yield* forgotten, [one, two, three])
        assert.deepEqual(yield* unconfirmed(other, one), [])
        yield* (yield* Workspaces).remove(other.account_id, other.workspace_id, { force: true, now: later })
        assert.deepEqual(yield* unconfirmed(other, one), [{ address: one, link_ends_at: null }])
      }))
  })
}
