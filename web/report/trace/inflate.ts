/** Base64 of raw deflate to bytes, by what browsers bring along. */
export async function inflateBase64(data: string): Promise<Uint8Array> {
  const text = atob(data.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
