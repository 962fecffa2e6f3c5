/**
 * The first `most` characters, with an ellipsis where there were more. A sign made of two code units (an emoji) is never cut in half.
 * Whether something was cut: `shorten(text, most) !== text`.
 */
export function shorten(text: string, most: number): string {
  const characters = Array.from(text)
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text
}
