// The server replaces both placeholders in prerendered pages (edges/page-head.ts).

/** Placeholder for the product's origin. */
export const ORIGIN_PLACEHOLDER = 'https://x-automated.example'
/** Placeholder for the support email address. */
export const SUPPORT_PLACEHOLDER = 'support@x-automated.example'

/** The support email address. Read from the page's head, so that hydration matches. */
export function supportAddress(): string {
  if (typeof document === 'undefined') return SUPPORT_PLACEHOLDER
  return document.querySelector<HTMLMetaElement>('meta[name="support"]')?.content || SUPPORT_PLACEHOLDER
}
