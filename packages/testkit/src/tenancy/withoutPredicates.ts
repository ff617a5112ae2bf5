/**
 * A proxy before PostgreSQL that takes the account out of the statements of tenants: each comparison with an account is made true, so
 * that nothing but the policies of the database keeps accounts apart.
 *
 * It reads the protocol and knows nothing of the store, so that the store is tested as it is. Only sessions that serve accounts are
 * changed; what runs for all accounts has other sessions.
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** `x.account_id = $1::uuid`, `t."account_id" = $2`, `owner = $3`, `a.account_id = b.account_id`. */
const comparison = /(?<![\w".])((?:\w+\.)?"?(?:account_id|owner)"? = (?:\$\d+(?:::uuid)?|\w+\.account_id))(?![\w"])/g

/** Of an update, what is before `where` sets columns. */
const isAssigned = (text: string, at: number): boolean => /\bset\s+(?:[\w".]+ = [^,]+,\s*)*$/i.test(text.slice(0, at))

/** The statement without its predicates of accounts. A parameter stays where it was, so that its type is known. */
export const withoutPredicates = (text: string): string =>
  text.replace(comparison, (found: string, _: string, at: number) =>
    isAssigned(text, at) ? found : `(${found} or true)`
  )

const serves = /application_name\0[^\0]* (?:tenants|analytics)\0/

export interface Removing {
  readonly url: string
  /** The statements whose predicates were taken out, each once. */
  readonly rewritten: ReadonlySet<string>
  readonly stop: () => Promise<void>
}

/** Parse: the name of the statement, its text, the types of its parameters. */
const parse = 0x50

export const removePredicates = async (url: string): Promise<Removing> => {
  const rewritten = new Set<string>()
  const target = new URL(url)
  const open = new Set<Socket>()

  const rewrite = (message: Buffer): Buffer => {
    const nameEnd = message.indexOf(0, 5)
    const textEnd = message.indexOf(0, nameEnd + 1)
    const text = message.toString("utf8", nameEnd + 1, textEnd)
    const changed = withoutPredicates(text)
    if (changed === text) return message
    rewritten.add(text)
    const body = Buffer.concat([message.subarray(5, nameEnd + 1), Buffer.from(changed), message.subarray(textEnd)])
    const head = Buffer.alloc(5)
    head[0] = parse
    head.writeInt32BE(body.length + 4, 1)
    return Buffer.concat([head, body])
  }

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let waiting: Buffer = Buffer.alloc(0)
    let isRewritten: boolean | undefined
    for (const socket of [client, upstream]) {
      open.add(socket)
      // Small messages would wait for each other.
      socket.setNoDelay(true)
      socket.on("error", () => socket.destroy())
      socket.on("close", () => {
        open.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    upstream.on("data", (chunk) => client.write(chunk))
    client.on("data", (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk])
      if (isRewritten === undefined) {
        // The packet that begins a session, or a request to cancel, has no type.
        if (waiting.length < 4 || waiting.length < waiting.readInt32BE(0)) return
        const packet = waiting.subarray(0, waiting.readInt32BE(0))
        isRewritten = serves.test(packet.toString("latin1"))
        upstream.write(packet)
        waiting = waiting.subarray(packet.length)
      }
      const messages: Buffer[] = []
      while (waiting.length >= 5 && waiting.length > waiting.readInt32BE(1)) {
        const message = waiting.subarray(0, waiting.readInt32BE(1) + 1)
        messages.push(isRewritten && message[0] === parse ? rewrite(message) : message)
        waiting = waiting.subarray(message.length)
      }
      if (messages.length > 0) upstream.write(Buffer.concat(messages))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    rewritten,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy()
        server.close(() => resolve())
      })
  }
}
