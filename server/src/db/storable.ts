/** Removes characters that PostgreSQL cannot store as text: NUL and lone surrogates. */
export function storable<T extends string | null>(text: T): T {
  return (text === null ? null : text.replaceAll('\u0000', '').toWellFormed()) as T
}
