/** Mail of alerts, as a real SMTP server gets it. */
import type { AddressInfo } from "node:net"
import { memory } from "@gatewarden/core"
import { createGatewarden, smtpTransport } from "@gatewarden/node"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { SMTPServer } from "smtp-server"
import type { Answer } from "@gatewarden/conformance/internal/World"
import { describeAlert } from "../../core/src/alert/describeAlert.ts"

interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
}

const managementKey = "m".repeat(40)

/** Headers with their continuations joined, and the text. */
const parse = (raw: string) => {
  const end = raw.indexOf("\r\n\r\n")
  const headers = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n")
  return {
    headers: headers.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
    text: raw.slice(end + 4)
  }
}

describe("mail of alerts", () => {
  const mails: Mail[] = []
  let refuses = false
  const server = new SMTPServer({
    authOptional: false,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      username === "alerts" && password === "s3cr3t-p@ss" ? done(null, { user: username }) : done(new Error("refused")),
    onData: (stream, session, done) => {
      let raw = ""
      stream.setEncoding("utf8").on("data", (piece: string) => (raw += piece))
      stream.on("end", () => {
        if (refuses) return done(new Error("refused s3cr3t-p@ss"))
        const { mailFrom, rcptTo } = session.envelope
        mails.push({ from: mailFrom === false ? "" : mailFrom.address, to: rcptTo.map(({ address }) => address), raw })
        done()
      })
    }
  })
  let port: number
  const logged: string[] = []
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    port = (server.server.address() as AddressInfo).port
  })
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())))

  const transport = (password = "s3cr3t-p%40ss") =>
    smtpTransport({ url: `smtp://alerts:${password}@127.0.0.1:${port}`, from: "Gatewarden <alerts@gw.example.com>" })

  const opened = async (mail = transport()) => {
    const gatewarden = await createGatewarden({
      store: memory(),
      managementKey,
      mail,
      publicUrl: "https://gw.example.com/api/v1",
      background: false,
      logger: (entry) => void logged.push(JSON.stringify(entry))
    })
    const call = async (path: string, body?: object) => {
      const response = await gatewarden.fetch(
        new Request(`http://host/api/v1${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
      )
      return { status: response.status, json: (await response.json()) as Answer["json"] }
    }
    /** A channel whose recipients have pressed the button behind their links. */
    const channel = async (body: object): Promise<Answer["json"]> => {
      mails.length = 0
      const made = await call("/gateway/alert-channels", { type: "email", ...body })
      assert.strictEqual(made.status, 200)
      for (const { raw } of mails) {
        const text = raw.replaceAll("=\r\n", "").replaceAll("=3D", "=")
        const [, query = ""] = /https:\/\/gw\.example\.com\/api\/v1\/confirm-mail(\S+)/.exec(text) ?? []
        const form = new Request(`http://host/api/v1/confirm-mail${query}`, { method: "POST" })
        assert.strictEqual((await gatewarden.fetch(form)).status, 200, raw)
      }
      return made.json
    }
    return { gatewarden, call, channel }
  }

  it("a channel sends plain text to all of its addresses", async () => {
    const { gatewarden, call, channel } = await opened()
    const to = ["ops@example.com", "second+tag@example.org"]
    const name = "Nächtlich\r\nBcc: victim@example.com"
    const made = await channel({ name, config: { to: [...to, to[0]] } })
    assert.deepInclude(made, { signing_secret: null })
    assert.deepEqual(made.data.config, { to })
    mails.length = 0
    const tested = await call(`/gateway/alert-channels/${made.data.id}/test`)
    assert.deepEqual(tested.json.data, { delivered: true, status: null, message: null })
    const [mail] = mails
    assert.deepInclude(mail, { from: "alerts@gw.example.com", to })
    const { headers, text } = parse(mail?.raw ?? "")
    const one = (header: string) => headers.filter(([name]) => name === header).map(([, value]) => value)
    assert.deepEqual(one("from"), ["Gatewarden <alerts@gw.example.com>"])
    assert.deepEqual(one("to"), [to.join(", ")])
    assert.deepEqual([one("bcc"), one("cc")], [[], []])
    assert.lengthOf(one("subject"), 1)
    assert.match(one("message-id")[0] ?? "", /^<[0-9a-f-]{36}\.[0-9a-f-]{36}@gw\.example\.com>$/)
    assert.match(one("content-type")[0] ?? "", /^text\/plain/)
    assert.include(text, "Workspace")
    await gatewarden.close()
  })

  it("the same message has the same Message-ID", async () => {
    mails.length = 0
    const message = { to: ["a@b.example"], subject: "s", text: "t", messageId: "one.two" }
    await transport()(message)
    await transport()(message)
    const ids = mails.map(({ raw }) => /^message-id: (.*)$/im.exec(raw)?.[1])
    assert.deepEqual(ids, ["<one.two@gw.example.com>", "<one.two@gw.example.com>"])
  })

  it("a server that refuses is told without its password", async () => {
    const { gatewarden, call, channel } = await opened()
    const made = await channel({ name: "x", config: { to: ["a@b.example"] } })
    refuses = true
    const tested = await call(`/gateway/alert-channels/${made.data.id}/test`)
    refuses = false
    assert.deepEqual(tested.json.data, { delivered: false, status: 450, message: "The mail server answered 450." })
    await gatewarden.close()
    let sending = transport()
    const wrong = await opened((message) => sending(message))
    const other = await wrong.channel({ name: "x", config: { to: ["a@b.example"] } })
    sending = transport("wrong-password")
    const refused = await wrong.call(`/gateway/alert-channels/${other.data.id}/test`)
    const message = "The mail server refused this server with 535."
    assert.deepEqual(refused.json.data, { delivered: false, status: 535, message })
    await wrong.gatewarden.close()
    for (const secret of ["s3cr3t-p", "wrong-password"]) assert.notInclude(logged.join("\n"), secret)
  })

  it("no name makes a second line of a subject", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (name, type) => {
        const { title, facts } = describeAlert({
          id: "one",
          type: "destination.failing",
          workspace_id: "w",
          subject: "s",
          data: { destination_name: `${name}\r\nBcc: x`, destination_type: type, last_status: `${type}\n` },
          created_at: "2026-01-01T00:00:00.000Z"
        })
        for (const line of [title, ...facts.map(([, value]) => value)]) assert.notMatch(line, /\p{Cc}|\p{Zl}|\p{Zp}/u)
        assert.isAtMost([...title].length, 150)
      })
    )
  })
})
