/** Small contents of every type that is accepted, and the form in which they are uploaded. */

const utf8 = new TextEncoder()

/** Latin-1 text and numbers as bytes. */
const bytesOf = (...parts: readonly (string | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === "string" ? [...part].map((c) => c.charCodeAt(0)) : [...part]))
  )

const u16 = (value: number): readonly number[] => [value & 255, value >>> 8]
const u32 = (value: number): readonly number[] => [...u16(value & 0xffff), ...u16(value >>> 16)]

/** A ZIP archive of empty entries of these names. */
const zipOf = (names: readonly string[], comment = ""): Uint8Array<ArrayBuffer> => {
  const fixed = [...u16(20), ...u16(0), ...u16(0), ...u16(0), ...u16(0), ...u32(0), ...u32(0), ...u32(0)]
  let offset = 0
  const locals: Uint8Array[] = []
  const directory: Uint8Array[] = []
  for (const name of names) {
    const encoded = [...utf8.encode(name)]
    const local = bytesOf("PK\u0003\u0004", fixed, u16(encoded.length), u16(0), encoded)
    const entry = bytesOf(
      "PK\u0001\u0002",
      u16(20),
      fixed,
      u16(encoded.length),
      [...u16(0), ...u16(0), ...u16(0), ...u16(0), ...u32(0)],
      u32(offset),
      encoded
    )
    locals.push(local)
    directory.push(entry)
    offset += local.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const count = u16(names.length)
  const end = bytesOf(
    "PK\u0005\u0006",
    u16(0),
    u16(0),
    count,
    count,
    u32(size),
    u32(offset),
    u16(comment.length),
    comment
  )
  return Uint8Array.from([...locals, ...directory, end].flatMap((part) => [...part]))
}

const office = "application/vnd.openxmlformats-officedocument"

export interface SampleFile {
  readonly name: string
  readonly content: Uint8Array<ArrayBuffer>
  readonly type: string
}

const sample = (name: string, content: string | Uint8Array<ArrayBuffer>, type: string): SampleFile => ({
  name,
  content: typeof content === "string" ? utf8.encode(content) : content,
  type
})

export const sampleFiles: readonly SampleFile[] = [
  sample("a.pdf", bytesOf("%PDF-1.7\n%", [0xe2, 0xe3, 0xcf, 0xd3]), "application/pdf"),
  sample("a.png", bytesOf([0x89], "PNG\r\n\u001a\n", [0, 0, 0, 13], "IHDR"), "image/png"),
  sample("a.jpg", bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JFIF"), "image/jpeg"),
  sample("a.gif", bytesOf("GIF89a", [1, 0, 1, 0, 0, 0, 0]), "image/gif"),
  sample("b.gif", bytesOf("GIF87a", [1, 0, 1, 0, 0, 0, 0]), "image/gif"),
  sample("a.webp", bytesOf("RIFF", [4, 0, 0, 0], "WEBPVP8 ", [0]), "image/webp"),
  sample("a.wav", bytesOf("RIFF", [4, 0, 0, 0], "WAVEfmt ", [0]), "audio/wav"),
  sample("a.flac", bytesOf("fLaC", [0x80, 0, 0, 34]), "audio/flac"),
  sample("a.ogg", bytesOf("OggS", [0, 2, 0, 0]), "audio/ogg"),
  sample("a.mp3", bytesOf("ID3", [4, 0, 0, 0, 0, 0, 10, 0xff]), "audio/mpeg"),
  sample("b.mp3", bytesOf([0xff, 0xfb, 0x90, 0x64, 0, 0]), "audio/mpeg"),
  sample("a.docx", zipOf(["[Content_Types].xml", "word/document.xml"]), `${office}.wordprocessingml.document`),
  sample("a.xlsx", zipOf(["xl/workbook.xml", "[Content_Types].xml"], "a comment"), `${office}.spreadsheetml.sheet`),
  sample("a.pptx", zipOf(["[Content_Types].xml", "ppt/presentation.xml"]), `${office}.presentationml.presentation`),
  sample("a.json", '{"a":1}', "application/json"),
  sample("no extension", ' [1, {"b": null}]\n', "application/json"),
  sample("a.jsonl", '{"a":1}\n{"a":2}\n', "application/x-ndjson"),
  sample("lines", '{"a":1}\r\n\r\n[2]', "application/x-ndjson"),
  sample("a.csv", "a,b\n1,2\n", "text/csv"),
  sample("README.MD", "# Title\n", "text/markdown"),
  sample("a.txt", "Grüße 🙂\n", "text/plain"),
  sample("broken.json", '{"a":', "text/plain")
]

/** Contents that are none of these. */
export const otherContents: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  "no UTF-8": bytesOf([0xc3, 0x28, 0x41]),
  "UTF-16": bytesOf([0xff, 0xfe, 0x41, 0, 0x42, 0]),
  "text with U+0000": bytesOf("a", [0], "b"),
  "a program": bytesOf([0x7f], "ELF", [2, 1, 1, 0, 0, 0, 0, 0]),
  "an archive that is no document": zipOf(["word/document.xml", "a.txt"]),
  "a cut archive": zipOf(["[Content_Types].xml", "word/document.xml"]).slice(0, 60),
  "a RIFF of another kind": bytesOf("RIFF", [4, 0, 0, 0], "AVI LIST", [0xff])
}

export const formOf = (name: string, content: Uint8Array<ArrayBuffer> | string, field = "file"): FormData => {
  const form = new FormData()
  form.append(field, new Blob([content], { type: "application/octet-stream" }), name)
  return form
}

/** The name that `formOf` sends: senders of forms escape quotes, and some of them more. */
export const sentName = async (name: string): Promise<string | undefined> =>
  /filename="(.*)"/.exec(await new Response(formOf(name, "x")).text())?.[1]
