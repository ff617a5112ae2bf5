/** Check, call, charge: how a data plane without holds counts money. On the same database, for comparison; nothing of ours does this. */
import { formatUsd } from "@gatewarden/core/store"
import type { DemoDatabase } from "./DemoDatabase.ts"
import { bodyOf, type Listening, listenAt } from "./localServers.ts"

export interface Naive extends Listening {
  readonly spent: () => Promise<bigint>
}

export const startNaive = async ({ query }: DemoDatabase, limit: bigint): Promise<Naive> => {
  await query("create table demo_naive (spent_nanos numeric not null)")
  await query("insert into demo_naive values (0)")
  const spent = async () => BigInt(String((await query("select spent_nanos from demo_naive"))[0]?.["spent_nanos"] ?? 0))
  const server = await listenAt(async (request, response) => {
    if (request.url === "/check") {
      response.writeHead((await spent()) < limit ? 200 : 402).end()
      return
    }
    await query("update demo_naive set spent_nanos = spent_nanos + $1::numeric", [await bodyOf(request)])
    response.end(formatUsd(await spent()))
  })
  return { ...server, spent }
}
