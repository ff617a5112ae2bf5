/**
 * A key as `io_logging_api_key_ids` of a workspace names it: the first 52 bits of its hash, which a number of JSON holds exactly.
 *
 * Nothing has to be stored for it, and it stays when a key is rotated. Two keys of one workspace share a number with a chance that does not
 * count, and then log alike. Rule: usage#prompt-logging.
 */
const hexDigits = 13

export const numericKeyId = (hash: string): number => Number.parseInt(hash.slice(0, hexDigits), 16)
