/** What a widget and the page that embeds it say to each other, by postMessage. */

/** From the widget: how high its content is, in CSS pixels. */
export interface SizeMessage {
  type: 'x-automated:size'
  height: number
}

/** From the widget: somebody joined. Neither address nor code leave the frame. */
export interface JoinedMessage {
  type: 'x-automated:joined'
  position: number
}

/** To the widget: the colour scheme of the page around it. */
export interface ThemeMessage {
  type: 'x-automated:theme'
  theme: Scheme
}

export type Scheme = 'light' | 'dark'

/** Higher than the widget ever is: a page is not pushed away by a number. */
const HEIGHT_MAX = 2_000

/** A message of the widget's, or null for anything else. Whose it is has to be asked first. */
export function readWidgetMessage(data: unknown): SizeMessage | JoinedMessage | null {
  if (typeof data !== 'object' || data === null) return null
  const { type, height, position } = data as Partial<SizeMessage> & Partial<JoinedMessage>
  if (type === 'x-automated:size' && isCount(height) && height <= HEIGHT_MAX) return { type, height }
  if (type === 'x-automated:joined' && isCount(position)) return { type, position }
  return null
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

/**
 * The origin of the page around, as its loader says it.
 * @returns null where there is none that a message could be sent to: a sandboxed page, or a file
 */
export function hostOrigin(said: string | null): string | null {
  return said !== null && URL.canParse(said) && new URL(said).origin === said ? said : null
}

/** The scheme that the page around asks for, or null for what is no such message. */
export function readThemeMessage(data: unknown): Scheme | null {
  if (typeof data !== 'object' || data === null) return null
  const { type, theme } = data as Partial<ThemeMessage>
  return type === 'x-automated:theme' && (theme === 'light' || theme === 'dark') ? theme : null
}

/**
 * The scheme of a page.
 * @param asked data-theme of the script: 'light' or 'dark' decides; anything else follows the page
 * @param pageScheme the computed `color-scheme` where the widget stands; a page that names none is light
 */
export function schemeOf(asked: string | undefined, pageScheme: string, systemIsDark: boolean): Scheme {
  if (asked === 'light' || asked === 'dark') return asked
  const known = pageScheme.split(/\s+/)
  if (!known.includes('dark')) return 'light'
  return known.includes('light') && !systemIsDark ? 'light' : 'dark'
}
