/** Tags of private endpoints begin with it. */
export const privateTags = "private/"

export const isPrivateTag = (tag: string | null): boolean => tag?.startsWith(privateTags) === true
