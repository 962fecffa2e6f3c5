/** postMessage protocol between the widget and the page that embeds it. */

/** From the widget: its content height in CSS pixels. */
export interface SizeMessage {
  type: 'x-automated:size'
  height: number
}

/** From the widget: someone joined. The email address and the code stay in the frame. */
export interface JoinedMessage {
  type: 'x-automated:joined'
  position: number
}

/** To the widget: the page's color scheme. */
export interface ThemeMessage {
  type: 'x-automated:theme'
  theme: Scheme
}

export type Scheme = 'light' | 'dark'

/** Higher than the widget ever is, to reject absurd values. */
const HEIGHT_MAX = 2_000

/** Parses a message from the widget. Null if it isn't one. Check the sender first. */
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

/** The embedding page's origin, or null if it cannot receive messages (sandboxed pages, files). */
export function hostOrigin(said: string | null): string | null {
  return said !== null && URL.canParse(said) && new URL(said).origin === said ? said : null
}

/** Parses a theme message. Null if it isn't one. */
export function readThemeMessage(data: unknown): Scheme | null {
  if (typeof data !== 'object' || data === null) return null
  const { type, theme } = data as Partial<ThemeMessage>
  return type === 'x-automated:theme' && (theme === 'light' || theme === 'dark') ? theme : null
}

/**
 * The widget's color scheme.
 * @param asked data-theme: 'light', 'dark', or anything else to follow the page
 * @param pageScheme computed `color-scheme` of the script's parent. Pages without one are light
 */
export function schemeOf(asked: string | undefined, pageScheme: string, systemIsDark: boolean): Scheme {
  if (asked === 'light' || asked === 'dark') return asked
  const known = pageScheme.split(/\s+/)
  if (!known.includes('dark')) return 'light'
  return known.includes('light') && !systemIsDark ? 'light' : 'dark'
}
