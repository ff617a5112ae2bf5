import { Socket } from "node:net"
import { Duplex } from "node:stream"

/** What a mail server sends of its own: a greeting, its extensions and certificates, and an answer to each command. */
const mostReceived = 65_536

/**
 * A TCP connection that ends as soon as a mail server has sent too much, or the signal aborts.
 *
 * nodemailer queues empty lines without a bound, and works through them after its connection has ended. Bytes are counted below TLS: so it
 * is no `net.Socket`, out of whose handle TLS would read by itself.
 */
export class MailSocket extends Duplex {
  readonly #socket = new Socket()
  readonly #localAddress: string | undefined
  #received = 0

  constructor(signal: AbortSignal | undefined, localAddress: string | undefined) {
    super({ allowHalfOpen: false, ...(signal === undefined ? {} : { signal }) })
    this.#localAddress = localAddress
    // Until nodemailer listens, and after.
    this.on("error", () => undefined)
    this.#socket
      .on("data", (chunk: Buffer) => {
        this.#received += chunk.length
        if (this.#received > mostReceived) this.destroy(new Error("The mail server sent too much."))
        else if (!this.push(chunk)) this.#socket.pause()
      })
      .on("end", () => this.push(null))
      .on("timeout", () => this.emit("timeout"))
      .on("error", (error) => this.destroy(error))
  }

  connect(port: number, host: string, connected: () => void): this {
    this.#socket.connect({ port, host, localAddress: this.#localAddress }, connected)
    return this
  }

  setTimeout(millis: number): this {
    this.#socket.setTimeout(millis)
    return this
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
