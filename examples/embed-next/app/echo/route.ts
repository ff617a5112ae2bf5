export const POST = async (request: Request): Promise<Response> => Response.json(await request.json())
