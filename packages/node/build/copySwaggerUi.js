// @ts-check
/** Copies what the API page needs of Swagger UI, with its licences, so that hosts need no package for it. */
import { copyFile, mkdir } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const from = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"))
const to = fileURLToPath(new URL("../dist/swagger-ui", import.meta.url))

const files = ["swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css", "LICENSE", "NOTICE"]

export const copySwaggerUi = async () => {
  await mkdir(to, { recursive: true })
  await Promise.all(files.map((name) => copyFile(join(from, name), join(to, name))))
}
