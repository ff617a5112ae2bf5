/** The `data` of server-sent events, however the bytes were cut. Comments and other fields are passed over. */
export async function* readEvents(bytes: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pending = ""
  let data: string[] = []
  for await (const piece of bytes) {
    pending += decoder.decode(piece, { stream: true })
    const lines = pending.split(/\r\n|\n|\r(?!$)/)
    pending = lines.pop() ?? ""
    for (const line of lines)
      if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""))
      else if (line === "" && data.length > 0) {
        yield data.join("\n")
        data = []
      }
  }
}
