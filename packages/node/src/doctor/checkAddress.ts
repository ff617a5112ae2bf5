import { createServer } from "node:net"
import { failure, fine, type Finding } from "./Finding.ts"

const listenOnce = (host: string, port: number): Promise<string | undefined> =>
  new Promise((done) => {
    const server = createServer()
    server.once("error", (cause: NodeJS.ErrnoException) => done(cause.code ?? "unknown"))
    server.listen(port, host, () => server.close(() => done(undefined)))
  })

/** A server of ours says so at `/livez`. */
const isOurs = async (host: string, port: number): Promise<boolean> => {
  const name = host.includes(":") ? `[${host}]` : host === "0.0.0.0" ? "127.0.0.1" : host
  const answer = await fetch(`http://${name}:${port}/livez`, { signal: AbortSignal.timeout(3_000) })
    .then((response) => response.json() as Promise<unknown>)
    .catch(() => undefined)
  return typeof answer === "object" && answer !== null && "status" in answer && answer.status === "ok"
}

/** Whether the server could listen, or does. */
export const checkAddress = async (host: string, port: number): Promise<Finding> => {
  const code = await listenOnce(host, port)
  const address = `${host}:${port}`
  if (code === undefined) return fine("address", `${address} is free`)
  if (code === "EADDRINUSE")
    return (await isOurs(host, port))
      ? fine("address", `a server answers at ${address}`)
      : failure(
          "address",
          `Another program listens on ${address}`,
          `ss -ltnp 'sport = :${port}', or set PORT`,
          "address"
        )
  return failure(
    "address",
    `The server cannot listen on ${address} (${code})`,
    "set HOST and PORT to an address of this machine",
    "address"
  )
}
