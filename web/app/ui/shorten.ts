/** Truncates to `most` characters (code points) and adds an ellipsis. */
export function shorten(text: string, most: number): string {
  const characters = Array.from(text)
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text
}
