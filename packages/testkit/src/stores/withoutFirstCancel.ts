/** A way to PostgreSQL on which the first request to cancel a statement is lost, as one is that arrives between two messages. */
import { connect, createServer, type AddressInfo } from "node:net"

/** The code that a request to cancel has in place of a version of the protocol. */
const cancelRequest = 80_877_102

export interface CancelLost {
  readonly url: string
  /** How many requests to cancel have come so far, with the lost one. */
  readonly requests: () => number
  readonly close: () => void
}

export const withoutFirstCancel = async (postgresUrl: string): Promise<CancelLost> => {
  const target = new URL(postgresUrl)
  let requests = 0
  const server = createServer((client) => {
    client.once("data", (first) => {
      if (first.byteLength >= 8 && first.readInt32BE(4) === cancelRequest && ++requests === 1) {
        client.end()
        return
      }
      const postgres = connect(Number(target.port), target.hostname)
      postgres.write(first)
      client.pipe(postgres).pipe(client)
      client.on("error", () => postgres.destroy())
      postgres.on("error", () => client.destroy())
      client.on("close", () => postgres.end())
    })
    client.on("error", () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = new URL(postgresUrl)
  url.hostname = "127.0.0.1"
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.href, requests: () => requests, close: () => server.close() }
}
