/** A file of the page, as it is sent. */
export interface Asset {
  readonly type: string
  readonly body: Uint8Array
}

export const textAsset = (type: string, text: string): Asset => ({
  type: `${type}; charset=utf-8`,
  body: new TextEncoder().encode(text)
})
