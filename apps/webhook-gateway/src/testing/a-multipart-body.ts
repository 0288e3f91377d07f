/** A multipart body as a browser sends it. */
export async function aMultipartBody(
  parts: readonly (readonly [name: string, value: string | File])[],
): Promise<{ rawBody: Buffer; contentType: string }> {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  const request = new Response(form);
  const contentType = request.headers.get('content-type') ?? '';
  return { rawBody: Buffer.from(await request.arrayBuffer()), contentType };
}
