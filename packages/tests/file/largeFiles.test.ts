/** Files at the border of what is accepted: 100 MB (Rule: requests#body-sizes). */
import { maxFileBytes } from "@gatewarden/contract/internal"
import { fetchDoor, Installation } from "@gatewarden/conformance"
import { type World } from "@gatewarden/conformance/internal/World"
import { layerMemory } from "@gatewarden/core/effect"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { formOf } from "@gatewarden/conformance/internal/file/fileBytes"

let installation: Installation
let world: World
beforeAll(async () => {
  installation = await Installation.start({ store: layerMemory, door: fetchDoor })
  world = await installation.newWorld()
})
afterAll(() => installation?.stop())

const text = (size: number) => new Uint8Array(size).fill(97)

describe("files of about 100 MB", () => {
  it("100,000,000 bytes are accepted", { tags: ["deep"] }, async () => {
    const answer = await world.call("uploadFile", { body: formOf("a.txt", text(maxFileBytes)) })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepInclude(answer.json, { size_bytes: 100_000_000, mime_type: "text/plain" })
    assert.strictEqual((await world.call("deleteFile", { params: { file_id: answer.json.id } })).status, 200)
  })

  it("one more is too large", { tags: ["deep"] }, async () => {
    const answer = await world.call("uploadFile", { body: formOf("a.txt", text(maxFileBytes + 1)) })
    assert.strictEqual(answer.status, 413)
  })

  it("an announced length is believed before anything is read", async () => {
    const answer = await world.call("uploadFile", {
      body: new TextEncoder().encode("--edge--"),
      headers: { "content-type": "multipart/form-data; boundary=edge", "content-length": "100065537" }
    })
    assert.strictEqual(answer.status, 413)
  })

  /** A body that announces no length, and goes on for three times what may be. */
  const stream = async (piece: Uint8Array): Promise<{ readonly status: number; readonly sent: number }> => {
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(part),
      pull: (controller) => {
        sent += piece.length
        controller.enqueue(piece)
        if (sent > 3 * maxFileBytes) controller.close()
      }
    })
    const init: RequestInit & { readonly duplex: "half" } = {
      method: "POST",
      headers: {
        authorization: `Bearer ${world.normalKey}`,
        "content-type": "multipart/form-data; boundary=edge",
        "transfer-encoding": "chunked"
      },
      body,
      duplex: "half"
    }
    const { door, basePath } = installation
    const response = await door.fetch(`${door.origin}${basePath}/files`, init)
    return { status: response.status, sent }
  }
  const part = new TextEncoder().encode(
    '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
  )
  const end = new TextEncoder().encode("\r\n")

  it("a body that announces no length is read no further than it may go", { tags: ["deep"] }, async () => {
    const { status, sent } = await stream(text(1_000_000))
    assert.strictEqual(status, 413)
    assert.isBelow(sent, maxFileBytes + 10_000_000)
  })

  it("nor in several parts", { tags: ["deep"] }, async () => {
    const piece = new Uint8Array([...text(20_000_000), ...end, ...part])
    const { status, sent } = await stream(piece)
    assert.strictEqual(status, 413)
    assert.isBelow(sent, maxFileBytes + 50_000_000)
  })
})
