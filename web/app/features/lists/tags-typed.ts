/** Tags as someone types them: separated by commas, trimmed, empty ones dropped (specification §5). */
export function tagsTyped(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}
