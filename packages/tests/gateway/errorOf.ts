/** The error that a client of the gateway is answered. */
export const errorOf = async (answer: Response) =>
  (
    (await answer.json()) as {
      error: {
        code: number
        message: string
        availability?: Record<string, unknown>
        metadata?: Record<string, unknown>
      }
    }
  ).error
