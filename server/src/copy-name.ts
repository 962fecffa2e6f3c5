const SUFFIX = ' (copy)'

/** The name of a copy, cut to `max` characters. */
export function copyName(name: string, max: number): string {
  return `${name.slice(0, max - SUFFIX.length)}${SUFFIX}`
}
