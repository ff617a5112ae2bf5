import { assert, describe, it } from "@effect/vitest"
import { swaggerUi, withoutDataUrls } from "../../node/src/apiPage/swaggerUi.ts"

const textOf = (body: Uint8Array | undefined) => new TextDecoder().decode(body)

describe("withoutDataUrls", () => {
  it("makes a file of every image that styles carry", () => {
    const { styles, images } = withoutDataUrls(
      `a{b:url("data:image/svg+xml;charset=utf-8,<svg x=\\"1)\\" y='%23f'/>") no-repeat}` +
        `c{d:url(data:image/png;base64,AQID)}e{f:url(g.png)}`
    )
    assert.strictEqual(styles, "a{b:url(0.svg) no-repeat}c{d:url(1.png)}e{f:url(g.png)}")
    const [svg, png] = images
    assert.strictEqual(svg?.[1].type, "image/svg+xml")
    assert.strictEqual(textOf(svg?.[1].body), `<svg x="1)" y='#f'/>`)
    assert.deepStrictEqual([...(png?.[1].body ?? [])], [1, 2, 3])
  })
})

describe("swaggerUi", () => {
  it("is where it is looked for, whole, and names no other host in its styles", async () => {
    const files = await swaggerUi()
    assert.include(textOf(files.get("ui.js")?.body), "SwaggerUIBundle")
    const css = textOf(files.get("ui.css")?.body)
    const named = Array.from(css.matchAll(/url\(([^)]*)\)/g), ([, name = ""]) => name)
    assert.isAbove(named.length, 5)
    for (const name of named) assert.isTrue(files.has(name), name)
    assert.notMatch(css, /@import|https?:\/\/(?!www\.w3\.org)/)
  })
})
