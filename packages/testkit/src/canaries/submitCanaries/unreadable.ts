/** What is hardly HTTP. */
import type { CanarySender } from "../CanarySender.ts"

export const unreadable = async ({ sendRaw, any, url, managementKey }: CanarySender): Promise<void> => {
  const start = `POST ${new URL(url).pathname}/byok HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${any()}\r\n`
  const authorized = start.replace(/Bearer .*/, `Bearer ${managementKey}`)
  const part = `{"provider":"openai","key":"${any()}`
  await sendRaw(`${start}${any()} without a colon\r\n\r\n`)
  await sendRaw(`${start}Host: ${any()}\r\nConnection: close\r\n\r\n`)
  await sendRaw(`${any()}\r\n\r\n`)
  await sendRaw(`${start}X-Long: ${any().repeat(1_000)}\r\n\r\n`)
  await sendRaw(`${authorized}Authorization: Bearer ${any()}\r\nConnection: close\r\n\r\n`)
  await sendRaw(`${authorized}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n${part}`, true)
  await sendRaw(`${authorized}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${any()}\r\n`)
}
