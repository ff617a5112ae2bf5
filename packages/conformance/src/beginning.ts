/** The instant at which every installation under test begins. */
export const beginning = Date.parse("2026-03-04T12:00:00.000Z")
