/** Gives every property one seed, so that a run repeats the run before. `GATEWARDEN_SEED=random`, or a number, tries others. */
import * as fc from "fast-check"

const usualSeed = 20_260_304
const asked = process.env["GATEWARDEN_SEED"] ?? ""

const seed = asked === "" ? usualSeed : asked === "random" ? Date.now() % 2 ** 31 : Number(asked)
if (!Number.isInteger(seed)) throw new Error(`GATEWARDEN_SEED is neither a whole number nor "random": ${asked}`)
fc.configureGlobal({ seed })
