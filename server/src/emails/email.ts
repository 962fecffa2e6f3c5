/** The texts of an email, which is stored in the queue and rendered when it is sent (`render.ts`). */
export interface Email {
  to: string
  /** Must not contain names that mail programs turn into links (`nameInSubject`): an email may reach strangers. */
  subject: string
  /** User-chosen names in these lines pass through `nameInBody`. */
  lines: string[]
  action: { label: string; link: string }
  closing: string
  /** One-click unsubscribe link for this kind of email (RFC 8058). */
  unsubscribeLink?: string
}
