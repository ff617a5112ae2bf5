/**
 * Silent sockets cost others nothing: a body that was announced counts nothing until it arrives, one that does not begin is given up, and
 * no account takes more than its part (Rule: requests#bodies-in-flight).
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import {
  commandLine,
  managementKey,
  type ServerProcess,
  startServerProcess
} from "@gatewarden/testkit/server/serverProcess"

const silent = 160
const keysOfAttacker = 8
/** More than is answered without counting. */
const longBytes = 100_000
/** All of them together announce more than a process may have in flight. */
const announcedBytes = 1_048_576

const run = promisify(execFile)

interface Callers {
  readonly attackers: readonly { readonly management: string; readonly key: string }[]
  readonly gateway: string
  readonly other: { readonly management: string; readonly key: string; readonly hash: string }
}

let server: ServerProcess
let callers: Callers

const command = async (...args: readonly string[]) => {
  const environment = { ...process.env, GATEWARDEN_DATA_DIR: server.dataDirectory, DATABASE_URL: "" }
  const { stdout } = await run(process.execPath, [commandLine, ...args, "--json"], { env: environment })
  return JSON.parse(stdout) as { readonly key: string }
}

const newKey = async (key: string): Promise<{ readonly key: string; readonly data: { readonly hash: string } }> =>
  (await callServer(server.url, "POST", "/keys", { key, body: { name: "k" } })).json

beforeAll(async () => {
  server = await startServerProcess({ environment: { DATABASE_URL: "" } })
  const attackers = []
  for (let made = 0; made < keysOfAttacker; made++) {
    const another = await callServer(server.url, "POST", "/gateway/management-keys", { body: { name: "k" } })
    attackers.push({ management: String(another.json.key), key: (await newKey(managementKey)).key })
  }
  const management = (await command("accounts", "create", "acme")).key
  const { key, data } = await newKey(management)
  const gateway = (await command("keys", "create", "--gateway", "--name", "data plane")).key
  callers = { attackers, gateway, other: { management, key, hash: data.hash } }
}, 120_000)
afterAll(() => server?.stop())

/** A connection that announces a body, and sends so much of it. */
const begin = async (
  path: string,
  type: string,
  key: string | undefined,
  sent: string,
  announced = announcedBytes
): Promise<Socket> => {
  const { hostname, port, pathname } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  await once(socket, "connect")
  socket.write(
    `POST ${pathname}${path} HTTP/1.1\r\nHost: x\r\n${key === undefined ? "" : `Authorization: Bearer ${key}\r\n`}` +
      `Content-Type: ${type}\r\nContent-Length: ${announced}\r\n\r\n${sent}`
  )
  return socket
}

/** The status of an admission of a long body, decided for the key. */
const admit = async (key: string, api_key_hash: string): Promise<number> => {
  const messages = [{ role: "user", content: "x".repeat(longBytes) }]
  const body = { api_key_hash, model: "nobody/has-this", messages }
  return (await callServer(server.url, "POST", "/gateway/admissions", { key, body })).status
}

const upload = async (key: string): Promise<number> => {
  const form = new FormData()
  form.set("file", new Blob(["x".repeat(longBytes)]), "a.txt")
  const headers = { authorization: `Bearer ${key}` }
  return (await fetch(`${server.url}/files`, { method: "POST", headers, body: form })).status
}

const flood = (sent: string): Promise<readonly Socket[]> =>
  Promise.all(
    Array.from({ length: silent }, (_, number) => {
      const attacker = callers.attackers[number % keysOfAttacker]
      if (number % 3 === 0) return begin("/auth/keys", "application/json", undefined, sent, 16_384)
      return number % 3 === 1
        ? begin("/gateway/admissions", "application/json", attacker?.management, sent)
        : begin("/files", "multipart/form-data; boundary=edge", attacker?.key, sent)
    })
  )

describe("sockets that announce a body and fall silent", () => {
  for (const [title, sent] of [
    ["before its first byte", ""],
    ["after its first bytes", " ".repeat(1_000)]
  ] as const)
    it(`${title}: others are admitted`, { timeout: 120_000 }, async () => {
      const sockets = await flood(sent)
      const { gateway, other } = callers
      const known = await admit(other.management, other.hash)
      assert.notInclude([408, 429, 503], known)
      for (let round = 0; round < 5; round++)
        assert.deepEqual(
          await Promise.all([admit(gateway, other.hash), admit(other.management, other.hash), upload(other.key)]),
          [known, known, 200]
        )
      for (const socket of sockets) socket.destroy()
    })

  it("before its first byte: is answered with 408 within seconds, and closed", { timeout: 60_000 }, async () => {
    const sockets = await flood("")
    const answered = sockets.map(
      (socket) =>
        new Promise<string>((resolve) => {
          let text = ""
          socket.on("data", (piece: Buffer) => void (text += piece.toString()))
          socket.once("close", () => resolve(text))
        })
    )
    const began = performance.now()
    for (const answer of await Promise.all(answered)) assert.match(answer, /^HTTP\/1\.1 408 /)
    assert.isBelow(performance.now() - began, 20_000)
    await eventually("a server that answers", async () =>
      (await callServer(server.url, "GET", "/guardrails")).status === 200 ? true : undefined
    )
  })
})
