/**
 * Delivers recorded usage to a webhook, beside loops that post the same batches again and again. One writes them, as any loop has to that
 * gets its batches as values: what reading, rendering and the position cost beside it is what the gate asks. The others post bytes that lie
 * ready, which nobody has who delivers events once: they say what the connection and the other side cost.
 */
import { dispatchDue, type Fetch } from "@gatewarden/core/internal"
import { hash } from "node:crypto"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { chatEvent, openDeliveryScene, outgoing, startPlatform } from "../deliveryScene.ts"
import type { Contender, Race } from "../Measure.ts"

const waiting = 10_000
const recordedAtOnce = 1_000

const copied = "account_id, workspace_id, recorded_at, event_id, following_ids, events, destinations, sealed_bodies"

type Sent = Parameters<Fetch>

/** Posts in turn, each batch once the one before is answered. */
const postingInTurn =
  <Batch>(batches: readonly Batch[], post: (batch: Batch) => Promise<Response>): Contender =>
  async (millis) => {
    const begun = performance.now()
    let posted = 0
    while (performance.now() - begun < millis)
      for (const batch of batches) {
        await (await post(batch)).arrayBuffer()
        posted++
      }
    return (posted * waiting * 1_000) / batches.length / (performance.now() - begun)
  }

/** Of some hundred characters, as questions and answers are. */
const bodies = (index: number) => ({
  input: {
    model: "acme/model",
    temperature: 0.2,
    messages: [
      { role: "system", content: "Answer in one paragraph. ".repeat(8) },
      { role: "user", content: `Question ${index}: ${hash("sha256", String(index), "hex").repeat(8)}` }
    ]
  },
  output: { choices: [{ message: { role: "assistant", content: "An answer of many words. ".repeat(20) } }] }
})

const written = "the same batches, JSON.stringify and fetch of Node"

const textOf = (body: Sent[1]["body"]): string => new TextDecoder().decode(body as Uint8Array)

const race = (name: string, bodiesOf: (index: number) => object, answersAfterMillis = 0): Race => ({
  kind: "race",
  name: `Deliver to a webhook, ${name}; events`,
  atLeast: 0.5,
  open: async (bench) => {
    const platform = await startPlatform()
    let seen: Sent[] | undefined = []
    const scene = await openDeliveryScene(bench, (...sent) => {
      seen?.push(sent)
      return outgoing(...sent)
    })
    const tenant = await scene.newTenant()
    await scene.newWebhook(tenant, new URL(`?after=${answersAfterMillis}`, platform.url))
    for (let from = 0; from < waiting; from += recordedAtOnce)
      await scene.record(
        tenant,
        Array.from({ length: recordedAtOnce }, (_, index) =>
          chatEvent(`gen-${from + index}`, from + index, bodiesOf(from + index))
        )
      )
    await execute(scene.databaseUrl, "create table bench_delivery as select * from gatewarden_delivery", "analyze")
    const deliver = async () => {
      if ((await scene.run(dispatchDue)) !== waiting) throw new Error("Events were not delivered")
    }
    await deliver()
    // The signals of the deliveries are over.
    const requests = seen.map(([url, sent]): Sent => [url, { ...sent, signal: new AbortController().signal }])
    seen = undefined
    const batches = requests.map(([url, sent]) => [url, sent, JSON.parse(textOf(sent.body))] as const)
    return {
      ours: async (millis) => {
        let taken = 0
        let delivered = 0
        while (taken < millis) {
          await execute(
            scene.databaseUrl,
            `insert into gatewarden_delivery (${copied}) select ${copied} from bench_delivery order by seq`
          )
          const begun = performance.now()
          await deliver()
          taken += performance.now() - begun
          delivered += waiting
        }
        return (delivered * 1_000) / taken
      },
      bare: {
        [written]: postingInTurn(batches, ([url, sent, batch]) =>
          fetch(url, { ...(sent as RequestInit), body: JSON.stringify(batch) })
        ),
        "bytes that lie ready, the client of deliveries": postingInTurn(requests, ([url, sent]) => outgoing(url, sent)),
        "bytes that lie ready, fetch of Node": postingInTurn(requests, ([url, sent]) => fetch(url, sent as RequestInit))
      },
      gated: written,
      close: async () => {
        await scene.close()
        await platform.stop()
      }
    }
  }
})

export const deliver: readonly Race[] = [
  race("without bodies", () => ({})),
  race("with bodies", bodies),
  race("without bodies, answered after 5 ms", () => ({}), 5)
]
