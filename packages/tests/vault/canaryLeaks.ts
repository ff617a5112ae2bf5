/** Submits canaries to a server, and searches what it wrote for them. Something is planted that each search must find. */
import { assert } from "@effect/vitest"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Submission } from "@gatewarden/testkit/canaries/CanarySender"
import { canarySearch } from "@gatewarden/testkit/canaries/canarySearch"
import { makeCanaries } from "@gatewarden/testkit/canaries/makeCanaries"
import { type CanaryRun, submitCanaries } from "@gatewarden/testkit/canaries/submitCanaries"

/** The last one is planted where it must be found; the others are secrets. */
export const canaries = makeCanaries(201, 20_260_304)
export const planted = canaries.at(-1) ?? ""
const [key = "", keyMaterial = "", ...submitted] = canaries.slice(0, -1)

export const managementKey = key

/** Encrypts with what is itself a secret to look for. */
export const keyring = `k1:${Buffer.from(keyMaterial.slice(4, 36)).toString("base64")}`

export const environment = {
  GATEWARDEN_MANAGEMENT_KEY: managementKey,
  GATEWARDEN_KEYRING: keyring,
  GATEWARDEN_LOG_LEVEL: "trace"
}

/** Where secrets were found that should not be there, told once all was searched; and that each search saw what was planted. */
export const collectLeaks = (made: CanaryRun) => {
  const leaks: string[] = []
  const { find } = canarySearch([...canaries, ...made.issued])

  const search = (where: string, text: Uint8Array | string): boolean => {
    const findings = find(text)
    for (const { secret, form, context } of findings)
      if (secret !== planted) leaks.push(`${where}: ${secret} (${form}): ${context}`)
    return findings.some(({ secret }) => secret === planted)
  }

  const searchAnswers = () => {
    let sawPlanted = 0
    for (const { request, answer, shows } of made.submissions) {
      const found = find(answer)
      if (found.some(({ secret }) => secret === planted)) sawPlanted++
      for (const secret of shows)
        assert.isTrue(
          found.some((finding) => finding.secret === secret),
          "a key is shown once"
        )
      for (const { secret, form, context } of found)
        if (secret !== planted && !shows.includes(secret))
          leaks.push(`answer to ${request.slice(0, 300)}: ${secret} (${form}): ${context}`)
    }
    assert.isAbove(made.submissions.length, 500)
    return sawPlanted > 0
  }

  /** The files below a directory in which the planted one was seen. */
  const searchFiles = async (directory: string): Promise<readonly string[]> => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    const saw: string[] = []
    for (const entry of entries) {
      const file = join(entry.parentPath, entry.name)
      if (entry.isFile() && search(file, await readFile(file))) saw.push(file)
    }
    return saw
  }

  return { search, searchAnswers, searchFiles, leaks: () => leaks.slice(0, 20) }
}

/** A workspace that is called like a secret: kept, shown, and logged as the id of its request. */
const plant = async (url: string): Promise<Submission> => {
  const response = await fetch(`${url}/workspaces`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${managementKey}`,
      "content-type": "application/json",
      "x-request-id": planted
    },
    body: JSON.stringify({ name: planted, slug: "planted" })
  })
  assert.strictEqual(response.status, 200)
  return { request: "planting", status: response.status, answer: await response.text(), shows: [] }
}

export const run = async (url: string, providersFail = false): Promise<CanaryRun> => {
  const first = await plant(url)
  const made = await submitCanaries({ url, managementKey, canaries: submitted, providersFail })
  return { ...made, submissions: [first, ...made.submissions] }
}
