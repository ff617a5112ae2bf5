import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

/** A Chromium of this machine: the one that `CHROMIUM_PATH` names, else one on the path; undefined where there is none. */
export const chromiumPath = (environment: NodeJS.ProcessEnv = process.env): string | undefined =>
  environment["CHROMIUM_PATH"] ||
  (environment["PATH"] ?? "")
    .split(delimiter)
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find((path) => existsSync(path))
