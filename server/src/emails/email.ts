/** An email in words. It is stored in the queue and rendered when it is sent (`render.ts`). */
export interface Email {
  to: string
  /** Without names that mail programs make links of (`nameInSubject`): an email may reach strangers. */
  subject: string
  /** User-chosen names in it pass through `nameInBody`. */
  lines: string[]
  action: { label: string; link: string }
  closing: string
  /** One-click unsubscribe link for this kind of email (RFC 8058). */
  unsubscribeLink?: string
}
