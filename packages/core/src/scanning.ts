/** The module that a scanning thread loads: without Effect, stores and platforms. */
export { type ScanJob, type ScanResult, type ScanTexts, packHits, receivingJobs } from "./filter/ScanJob.ts"
export { re2EngineOf, type Re2Constructor } from "./filter/patterns/re2Engine.ts"
export { type PatternEngineFunctions, re2jsEngine } from "./filter/patterns/re2jsEngine.ts"
export { scanTexts } from "./filter/scanTexts.ts"
