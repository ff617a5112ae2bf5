/** No event of a chat is longer, in characters. */
const longestEvent = 16_777_216

/** The `data` of server-sent events, however the bytes were cut. Comments and other fields are passed over. */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pending = ""
  let data: string[] = []
  let length = 0
  for await (const piece of bytes) {
    pending += decoder.decode(piece, { stream: true })
    const lines = pending.split(/\r\n|\n|\r(?!$)/)
    pending = lines.pop() ?? ""
    for (const line of lines)
      if (line.startsWith("data:")) {
        length += line.length
        data.push(line.slice(5).replace(/^ /, ""))
      } else if (line === "" && data.length > 0) {
        yield data.join("\n")
        data = []
        length = 0
      }
    if (pending.length + length > longestEvent) throw new Error("an event without end")
  }
}
