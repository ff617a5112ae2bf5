import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { smallestChange } from "../../core/src/policy/smallestChange.ts"
import { editGuardrails } from "../decision/applyEdits.ts"
import { appliedRule as rule } from "../filter/appliedRule.ts"
import { blocking, part, redacting, said, scan, ssn, user } from "../filter/scanned.ts"

it("8,000 pieces of audio that are lines without an end are read as soon as others", { tags: ["deep"] }, async () => {
  const audio = (data: string) => Array.from({ length: 8_000 }, () => ({ type: "input_audio", data }))
  const { findings } = await scan([blocking("ssn")], said(user(audio(`${"\n".repeat(1_023)}!`))))
  assert.isEmpty(findings.filter(({ filter }) => filter === "ssn"))
})

describe("the URL of an image or a file", () => {
  const urls: readonly ((address: string) => object)[] = [
    (address) => ({ type: "image_url", image_url: { url: `https://x.org/${address}/a.png` } }),
    (address) => ({ type: "image_url", image_url: `https://x.org/a.png?to=${address}` }),
    (address) => ({ type: "input_image", image_url: `https://x.org/${address.replace("@", "%40")}` }),
    (address) => ({ type: "image", source: { type: "url", url: `https://x.org/${address}` } }),
    (address) => ({ type: "file_url", file_url: { url: `https://x.org/${address}.pdf` } }),
    (address) => ({ type: "input_file", file_url: `https://x.org/${address}.pdf` }),
    (address) => ({ type: "video_url", video_url: { url: `https://x.org/${address}.mp4` } }),
    (address) => ({ type: "image_url", image_url: { url: `data:image/png;name="${address}";base64,iVBORw0KGgo=` } }),
    (address) => ({ type: "image_url", image_url: { url: `data:image/png,${address}` } })
  ]

  it("is read, flagged and blocked, and what redacts blocks there", async () => {
    for (const url of urls) {
      const name = JSON.stringify(url("HERE"))
      const sent = said(user([part("see"), url("jane@example.com")]))
      const flag = rule({ content_filter_builtins: [{ slug: "email", action: "flag", label: "[EMAIL]" }] })
      const flagged = await scan([flag], sent)
      assert.deepInclude(
        flagged.findings.find(({ filter }) => filter === "email"),
        { action: "flag", count: 1 },
        name
      )
      assert.strictEqual(flagged.messages, sent)
      for (const one of [blocking("email"), redacting("email")]) {
        const { refusal, objections, findings, unhindered } = await scan([one], sent, {}, true)
        assert.strictEqual(refusal?.message, "Request blocked by content filter: Email address", name)
        assert.strictEqual(objections[0]?.reason.field, "content_filter_builtins.email")
        assert.deepInclude(findings[0], { filter: "email", count: 1 })
        assert.deepEqual((await Effect.runPromise(unhindered)).messages, sent)
      }
      const other = said(user([part("see jane@example.com"), url("nobody")]))
      assert.deepEqual(
        (await scan([redacting("email")], other)).messages,
        said(user([part("see [EMAIL]"), url("nobody")])),
        name
      )
    }
  })
})

const base64 = (text: string): string => Buffer.from(text).toString("base64")

describe("the payload of a part", () => {
  const pdf = base64(`%PDF-1.1\n1 0 obj<</Type/Catalog>>endobj`)
  const link = "https://example.com/a.pdf"
  const file = (file_data: string) => ({ type: "file", file: { filename: "a.pdf", file_data } })
  const document = (source: object) => ({ type: "document", title: "A", source })
  const coded = (data: string, media_type = "application/pdf") => document({ type: "base64", media_type, data })
  const hidden: readonly object[] = [
    file(link),
    file(` ${link}`),
    file("s3://bucket/a.pdf"),
    file(`data:application/pdf;base64,${pdf}`),
    file(` data:application/pdf;base64,${pdf}`),
    file(`\ndata:application/pdf;base64,${pdf}`),
    file(`da\nta:application/pdf;base64,${pdf}`),
    file(`data:text/plain;base64,${pdf}`),
    file(`data:text/plain;base64;charset=utf-8,${pdf}`),
    file("what is no text of its own"),
    { type: "file", text: "see", file: { fileData: link } },
    { type: "file", text: "see", file: link },
    { type: "file", text: "see", file: { data: [37, 80, 68, 70] } },
    { type: "file", file: { file_data: "data:text/plain,see", file_url: "//example.com/a.pdf" } },
    { type: "input_file", filename: "a.pdf", file_data: link },
    { type: "input_file", filename: "a.pdf", file_data: `\tdata:application/pdf;base64,${pdf}` },
    { type: "input_audio", input_audio: { data: link, format: "mp3" } },
    { type: "input_audio", input_audio: { type: "text", data: link } },
    { type: "media", mime_type: "video/mp4", data: link },
    { type: "document_url", text: "see", document_url: "example.com/a.pdf" },
    coded(pdf),
    coded(`${pdf}!`),
    coded(`.${pdf}`),
    coded(pdf, "text/plain"),
    document({ type: "text", media_type: "application/pdf", data: pdf }),
    document({ type: "content", content: [part("see"), { type: "image", source: { type: "base64", data: "iVBOR!" } }] })
  ]

  it("is opaque, whatever it looks like", async () => {
    for (const one of hidden) {
      const { refusal, findings } = await scan([rule({ content_filter_unscannable: "block" })], said(user([one])))
      assert.strictEqual(refusal?.status, 403, JSON.stringify(one))
      assert.deepEqual(
        findings.map(({ filter, count }) => [filter, count]),
        [["unscanned", 1]]
      )
    }
  })

  it("is read where it is text", async () => {
    for (const one of [
      file("data:text/plain,see"),
      file(" data:text/plain;charset=utf-8;base64,c2Vl"),
      file(`data:text/plain;charset="UTF-8";base64,c2Vl`),
      file("data:text/plain;charset=iso-8859-1,caf%E9"),
      coded("c2Vl", "text/plain; charset=utf-8"),
      document({ type: "text", media_type: "text/plain", data: "see" }),
      document({ type: "text", data: link }),
      document({ type: "content", content: "see" }),
      document({ type: "content", content: [part(link)] })
    ]) {
      const { findings } = await scan([rule({ content_filter_unscannable: "block" })], said(user([one])))
      assert.isEmpty(findings, JSON.stringify(one))
    }
  })

  it("is more than its text where a reader of markup finds more", async () => {
    const svg = (inner: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`
    const png = "data:image/png;base64,iVBORw0KGgo="
    for (const [type, text, isPlain] of [
      ["image/svg+xml", svg("<text>a</text>"), true],
      ["image/svg+xml", svg(`<image href="${png}"/>`), false],
      ["image/svg+xml", svg(`<image href="&#100;at&#x61;&colon;image/png;base64,AA"/>`), false],
      ["image/svg+xml", svg(`<image href="da\nta:image/png;base64,AA"/>`), false],
      ["image/svg+xml", svg(`${" ".repeat(65_500)}<image href="${png}"/>`), false],
      ["image/svg+xml", svg(`${" ".repeat(65_494 - 39)}"&#100;ata:image/png;base64,AA"/>`), false],
      ["text/plain", ` ${svg(`<image href="${png}"/>`)}`, false],
      ["text/markdown", `![a](${png})`, true],
      ["text/html", `<img src='${png}'>`, false],
      ["text/html", `<!DOCTYPE html><p>metadata:image/png, and {data:e/2}`, true],
      ["text/html", `<!DOCTYPE html PUBLIC "a" "b"><p>a`, false],
      ["application/xml", `<!DOCTYPE a [<!ENTITY p "PRO">]><a>&p;J</a>`, false],
      ["application/xml", `<?xml version="1.0" encoding="UTF-7"?><a/>`, false],
      ["application/xml", `<?xml version="1.0" ${" ".repeat(2_000)}encoding="UTF-7"?><a/>`, false],
      ["application/xml", `\ufeff<?xml version='1.0' encoding='utf-8'?><a/>`, true],
      ["text/xml", `<?xml version="1.0"?><a/>`, true],
      ["text/plain", `see <!DOCTYPE a>`, true],
      ["application/xml", `<a>jane.doe<![CDATA[@]]>example.com</a>`, false],
      ["text/plain", ` <a><![CDATA[see]]></a>`, false],
      ["text/plain", `see <![CDATA[a]]>`, true]
    ] as const)
      for (const one of [
        file(`data:${type};base64,${base64(text)}`),
        file(`data:${type},${encodeURIComponent(text)}`),
        coded(base64(text), type),
        ...(type === "text/plain" ? [] : [document({ type: "text", media_type: type, data: text })])
      ]) {
        const { findings } = await scan([rule({ content_filter_unscannable: "block" })], said(user([one])))
        const name = `${type} ${text.replace(/ {9,}/, " … ")} ${JSON.stringify(one).slice(0, 60)}`
        assert.strictEqual(findings.length === 0, isPlain, name)
      }
  })

  it("is no address that a redaction changes", async () => {
    const to = `https://example.com/?q=${ssn}`
    for (const one of [
      file(to),
      file(` ${to}`),
      { type: "input_file", file_data: to },
      { type: "input_audio", input_audio: { data: to } },
      { type: "media", data: to },
      { type: "file", file: { fileData: to } },
      { type: "image_url", image_url: { url: ` ${to}` } },
      { type: "image_url", image_url: { url: `//example.com/${ssn}/my image.png` } }
    ])
      assert.strictEqual((await scan([redacting("ssn")], said(user([one])))).refusal?.status, 403, JSON.stringify(one))
  })

  it("is not read alone where a reader of its URL may find its beginning elsewhere", async () => {
    const coded64 = base64("see")
    for (const [url, isPlain] of [
      [`text/plain,;base64,${coded64}`, false],
      [`text/plain,base64,${coded64}`, false],
      [`text/plain,see; BASE64 ,${coded64}`, false],
      [`text/plain,%3Bbase64,${coded64}`, false],
      [`text/plain%3Bbase64,${coded64}`, false],
      [`application/json,;base64,${coded64}`, false],
      [`text/csv;charset=utf-8,;base64,${coded64}`, false],
      [`text/plain;a="x,y";base64,${coded64}`, false],
      [`text/plain;a="x,y",see`, false],
      [`text/plain;a="x\\",y",see`, false],
      [`text/plain;a="x";base64,${coded64}`, true],
      [`text/plain,see base64: it is text, too`, true]
    ] as const) {
      const { findings } = await scan([blocking("ssn")], said(user([file(`data:${url}`)])))
      assert.strictEqual(findings.length === 0, isPlain, url)
    }
  })

  it("is read as UTF-8, too, whatever charset it claims", async () => {
    const text = `my ssn is ${ssn} `
    const wide = text.replace(/\d/g, (digit) => String.fromCharCode(0xff_10 + Number(digit)))
    const utf16 = (value: string) => Buffer.from(value, "utf16le").toString("base64")
    for (const [value, isPlain] of [
      [`;charset=utf-16le;base64,${base64(text)}`, false],
      [`;charset=utf-16be;base64,${base64(text)}`, false],
      [`;charset=utf-16le,${encodeURIComponent(text)}`, false],
      [`;charset=utf-16le;base64,${utf16(text)}`, false],
      [`;charset=latin1;charset=utf-16le;base64,${base64(text)}`, false],
      [`;charset=utf-7;base64,${base64(text)}`, false],
      [`;charset = utf-16le;base64,${base64(text)}`, false],
      [`;charset=x-user-defined;base64,${base64(text)}`, false],
      [`;base64,${Buffer.from(`${text}\u00ff`, "latin1").toString("base64")}`, false],
      [`;charset=windows-1252;base64,${base64(wide)}`, true],
      [`;charset=windows-1252;base64,${Buffer.from(`${text}\u00ff`, "latin1").toString("base64")}`, true],
      [`;charset=us-ascii;base64,${base64(text)}`, true]
    ] as const)
      for (const one of [
        file(`data:text/plain${value}`),
        ...(value.includes(";base64,")
          ? [coded(value.split(",")[1] ?? "", `text/plain${value.split(";base64")[0]}`)]
          : [])
      ]) {
        const name = JSON.stringify(one)
        const { findings, refusal } = await scan([blocking("ssn")], said(user([one])))
        assert.strictEqual(refusal?.status, 403, name)
        assert.strictEqual(
          findings.some(({ filter }) => filter === "unscanned"),
          !isPlain,
          name
        )
      }
    const other = await scan([redacting("ssn")], said(user([file(`data:text/plain;charset=utf-16le,${text}`)])))
    assert.strictEqual(other.refusal?.status, 403)
    const same = await scan([redacting("ssn")], said(user([file(`data:text/plain;charset=us-ascii,${text}`)])))
    assert.deepEqual(
      same.messages,
      said(user([file(`data:text/plain;charset=utf-8;base64,${base64(text.replace(ssn, "[SSN]"))}`)]))
    )
  })

  it("is not read where it is a document in a language of its own", async () => {
    for (const [type, text] of [
      ["application/rtf", "see"],
      ["text/rtf", "see"],
      ["text/plain", "{\\rtf1 \\'31\\'32\\'33}"],
      ["text/plain", "%!PS-Adobe-3.0"],
      ["text/plain", "see\n%PDF-1.1"],
      ["text/plain", "s\0e\0e\0"],
      ["text/plain", "\u001b$B#1#2#3"]
    ] as const) {
      const { findings } = await scan([redacting("ssn")], said(user([file(`data:${type};base64,${base64(text)}`)])))
      assert.deepEqual(
        findings.map(({ filter }) => filter),
        ["unscanned"],
        text
      )
    }
  })
})

describe("parts that no filter can look into", () => {
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }
  const opaque: readonly object[] = [
    image,
    { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
    { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
    { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
    { type: "file", file: { file_id: "file-1" } },
    { type: "file", file: { filename: "a.txt", file_data: "data:text/plain;base64,//8=" } },
    { type: "video_url", video_url: { url: "https://example.com/a.mp4" } },
    { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
    { type: "hologram", url: "https://example.com/a.holo" },
    { type: "hologram", id: "hologram_1", text: "see" },
    { type: "text", text: "see", image_url: { url: "https://example.com/a.png" } },
    { type: "text", text: "see", image_url: "https://example.com/a.png" },
    { type: "text", text: "see", file: { file_id: "file-1" } },
    { type: "input_text", text: "see", input_audio: { data: "UklGRg==", format: "wav" } },
    { type: "tool_result", content: "see", source: { type: "url", url: "https://example.com/a.png" } },
    { type: "text", text: "data:image/png;base64,iVBORw0KGgo=", url: "https://example.com/a.png" }
  ]

  it("are recorded, and blocked by guardrails that say so", async () => {
    for (const one of opaque) {
      const allowed = await scan([redacting("ssn")], said(user([part("see"), one])))
      const name = JSON.stringify(one)
      assert.deepEqual(
        allowed.findings.map(({ filter, action, count }) => [filter, action, count]),
        [["unscanned", "flag", 1]],
        name
      )
      assert.isEmpty(allowed.objections)
      const { refusal, findings } = await scan([rule({ content_filter_unscannable: "block" })], said(user([one])))
      assert.strictEqual(refusal?.status, 403)
      assert.deepEqual(
        findings.map(({ filter, action, count }) => [filter, action, count]),
        [["unscanned", "block", 1]]
      )
    }
    assert.isEmpty((await scan([rule({})], said(user([image])))).findings)
    assert.isEmpty((await scan([rule({ content_filter_unscannable: "block" })], said(user("text")))).objections)
  })

  it("are images outside of contents, too", async () => {
    const url = "https://example.com/a.png"
    const mask = { image_url: "data:image/png;base64,iVBORw0KGgo=" }
    const sent: readonly (readonly [type: string, object, object?])[] = [
      ["image_url", {}, { image_url: url }],
      ["image_url", {}, { image_url: { url } }],
      ["images", {}, { images: [url] }],
      ["input_image_mask", {}, { tools: [{ type: "image_generation", input_image_mask: mask }] }],
      ["images", { images: [url] }],
      ["url", { images: [{ url }] }],
      ["image_url", { images: [image] }]
    ]
    for (const [type, message, fields = {}] of sent) {
      const asked = said({ ...user("see"), ...message })
      const { refusal } = await scan([rule({ content_filter_unscannable: "block" })], asked, { ...fields })
      assert.deepEqual(refusal?.metadata?.["parts"], [type], JSON.stringify([message, fields]))
    }
  })

  const isBlocked = async (fields: Readonly<Record<string, unknown>>, messages: readonly object[] = []) =>
    (await scan([rule({ content_filter_unscannable: "block" })], said(...messages), fields)).refusal?.status === 403

  it("are files of skills, images of settings, tokens, references, and names in another case", async () => {
    const skill = (media_type: string, text: string) => ({
      tools: [
        { type: "shell", environment: { skills: [{ source: { type: "base64", media_type, data: base64(text) } }] } }
      ]
    })
    const url = "https://example.com/a.png"
    for (const fields of [
      skill("application/zip", "PK"),
      { image_config: { super_resolution_references: [url] } },
      { image_config: { font_inputs: [{ font_url: url }] } },
      { input: [1, 2] },
      { input: [{ type: "item_reference", id: "msg_1" }] },
      { input: "a", previous_response_id: "resp_1" },
      { prompt: { id: "pmpt_1" } },
      { input: [{ image: "iVBORw0KGgo=" }] },
      { init_image: url },
      { input_reference: url },
      { last_frame: "iVBORw0KGgo".repeat(8) },
      { file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${base64("%PDF-1.7")}` } },
      { extra_body: { video: [url] } }
    ])
      assert.isTrue(await isBlocked(fields), JSON.stringify(fields))
    assert.isTrue(await isBlocked({}, [{ ...user("a"), Content: [{ Type: "image_url" }] }]))
    assert.isFalse(await isBlocked(skill("text/plain", "see")))
    assert.isFalse(await isBlocked({ tools: [{ type: "x", file: `data:text/plain;base64,${base64("see")}` }] }))
    assert.isFalse(await isBlocked({ attachments: [`data:text/plain;base64,${base64("see")}`] }))
    const { fields } = await scan([redacting("ssn")], [], skill("text/plain", ssn))
    assert.deepEqual(fields, skill("text/plain", "[SSN]"))
  })

  it("are read all the same, and a link among them is no text that a redaction changes", async () => {
    for (const fields of [
      { image_config: { font_inputs: [{ font_url: "https://example.com/a.ttf", text: ssn }] } },
      { prompt: { id: "pmpt_1", variables: { customer_id: ssn } } },
      { init_image: ssn }
    ])
      assert.isTrue((await scan([blocking("ssn")], [], fields)).objections.length > 0, JSON.stringify(fields))
    assert.isNotEmpty((await scan([blocking("ssn")], said({ ...user("a"), Content: [part(ssn)] }))).objections)
    const link = { image_config: { super_resolution_references: [`https://example.com/${ssn}.png`] } }
    assert.strictEqual((await scan([redacting("ssn")], [], link)).refusal?.status, 403)
  })

  it("are blocked where any guardrail blocks them, and each that does is in the way", async () => {
    const one = rule({ content_filter_unscannable: "block" }, "workspace", "00000000-0000-4000-8000-000000000001")
    const other = rule({ content_filter_unscannable: "block" }, "member", "00000000-0000-4000-8000-000000000002")
    const rules = [one, redacting("ssn"), other]
    const { objections } = await scan(rules, said(user([image])))
    assert.deepEqual(
      objections.map(({ reason: { scope, field, value } }) => [scope, field, value]),
      [
        ["workspace", "content_filter_unscannable", "block"],
        ["member", "content_filter_unscannable", "block"]
      ]
    )
    const change = smallestChange(objections, [[]]) ?? []
    assert.isEmpty((await scan(editGuardrails(rules, change), said(user([image])))).objections)
    for (const edit of change)
      assert.isNotEmpty((await scan(editGuardrails(rules, [edit]), said(user([image])))).objections)
  })

  it("are looked into where they hold text, and redacted there", async () => {
    const text = `{"ssn": "${ssn}", "näme": "x"}`
    const url = (type: string, value: string) => ({
      type: "file",
      file: { filename: "a", file_data: `data:${type},${value}` }
    })
    const redacted = (type: string) => url(`${type};charset=utf-8;base64`, base64(text.replace(ssn, "[SSN]")))
    for (const [sent, after] of [
      [url("text/plain;base64", base64(text)), redacted("text/plain")],
      [url("application/json;charset=UTF-8;base64", base64(text)), redacted("application/json")],
      [url("text/html", encodeURIComponent(text)), redacted("text/html")],
      [url("application/ld+json;base64", encodeURIComponent(base64(text))), redacted("application/ld+json")],
      [url("", text), redacted("text/plain")]
    ] as const) {
      const { messages, findings } = await scan([redacting("ssn")], said(user([sent])))
      assert.deepEqual(messages, said(user([after])))
      assert.deepEqual(
        findings.map(({ filter }) => filter),
        ["ssn"]
      )
    }
    const source = (data: string) => ({
      type: "document",
      source: { type: "base64", media_type: "text/markdown", data }
    })
    const { messages } = await scan([redacting("ssn")], said(user([source(base64(text))])))
    assert.deepEqual(messages, said(user([source(base64(text.replace(ssn, "[SSN]")))])))
  })

  it("are decoded in pieces, cut nowhere within a character", async () => {
    const text = `${"é😀x".repeat(40_000)} ${ssn}`
    for (const value of [`data:text/plain;base64,${base64(text)}`, `data:text/plain,${encodeURIComponent(text)}`]) {
      const { messages } = await scan([redacting("ssn")], said(user([{ type: "file", file: { file_data: value } }])))
      const [sent] =
        (messages as unknown as readonly { content: readonly { file: { file_data: string } }[] }[])[0]?.content ?? []
      const after = Buffer.from(sent?.file.file_data.split(",")[1] ?? "", "base64").toString()
      assert.isTrue(after === text.replace(ssn, "[SSN]"), value.slice(0, 32))
    }
  })
})
