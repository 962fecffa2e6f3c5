// Prerendered pages do not know where they will stand, nor who answers there. The server writes both in (its edges/page-head.ts).

/** Stands in prerendered pages for the product's origin. */
export const ORIGIN_PLACEHOLDER = 'https://x-automated.example'
const SUPPORT_PLACEHOLDER = 'support@x-automated.example'

/** Where people reach a person. The page says so in its head too, so that it stays the same when the app takes over. */
export function supportAddress(): string {
  if (typeof document === 'undefined') return SUPPORT_PLACEHOLDER
  return document.querySelector<HTMLMetaElement>('meta[name="support"]')?.content || SUPPORT_PLACEHOLDER
}
