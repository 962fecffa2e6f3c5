/**
 * How the extension finds the parts of x.com. The product serves this as signed data, so the
 * extension needs no update when X changes a page. Plain code, because the extension ships no
 * schema library.
 */

/** Every part of X's pages, found by one or more CSS selectors or paths. A document has exactly these parts. */
export const PAGE_PARTS = {
  /** Present while someone is signed in. */
  signedIn: 'selectors',
  /** Links to the profile of the signed-in account. */
  ownProfile: 'selectors',
  /** An element whose text contains the handle of the signed-in account. */
  accountSwitcher: 'selectors',
  signedOut: 'selectors',
  /** X's own errors, such as 'Something went wrong. Try reloading.' */
  trouble: 'selectors',

  profileName: 'selectors',
  /** 'This account doesn’t exist' or 'Account suspended'. Profiles without posts match, too. */
  profileMissing: 'selectors',
  /** The buttons that every profile has. */
  profileActions: 'selectors',
  /** Buttons whose `data-testid` starts with the person's id. */
  profileId: 'selectors',
  messageButton: 'selectors',
  /** Elements that might be a renamed message button. */
  likeMessageButton: 'selectors',

  /** The panel that shows a conversation on top of any page. */
  drawer: 'selectors',
  conversation: 'selectors',
  /** Links to the other person in the conversation. */
  conversationHeader: 'selectors',
  /** Shown once the first message of the conversation has loaded. */
  conversationStart: 'selectors',
  composer: 'selectors',
  sendButton: 'selectors',
  message: 'selectors',
  /** The text of a message. Only the first selector that matches counts. */
  messageText: 'selectors',
  /** Messages that X accepted. */
  messageSent: 'selectors',
  /** Messages that X rejected. */
  messageFailed: 'selectors',
  /** X's notice that a message was not sent. */
  refusal: 'selectors',

  /** X's notice that the person can't be messaged. */
  inboxClosed: 'selectors',
  /** X's question whether to accept messages from a person who wrote first. */
  requestPrompt: 'selectors',
  passcode: 'selectors',

  /** X wants the account to confirm something first. */
  lockedPaths: 'paths',
  conversationPaths: 'paths',
  /** The conversation of a message request. */
  requestPaths: 'paths',
  /** The account has no chat passcode yet. */
  newPasscodePaths: 'paths',
  /** X asks for the chat passcode. */
  passcodePaths: 'paths',
} as const satisfies Record<string, 'selectors' | 'paths'>

export type PagePart = keyof typeof PAGE_PARTS
export type Pages = Record<PagePart, string[]>

/** The selectors and paths of all parts, signed with the maintainers' key. */
export interface SignedPages {
  /** Versions below the last accepted one are refused. */
  version: number
  /** ISO 8601. The document is not used after this time. */
  notAfter: string
  pages: Pages
  /** Ed25519 over `signedText`, in base64. */
  signature: string
}

const VALUES_MAX = 20
const VALUE_LENGTH_MAX = 300
/** Excludes braces, semicolons, backslashes and `//`, so that a value can only be a selector. */
const SELECTOR = /^(?!.*\/\/)[\w\s\-[\]="'$^*~|:().,>+#/]+$/
/** A path on x.com. `{a}-{b}` is a pair of user ids. */
const PATH = /^(?:\/(?:[\w-]+|\{a\}-\{b\}))+$/

/** Checks that a document is well-formed, but not its signature. @throws Error naming what is wrong */
export function parsePages(value: unknown): SignedPages {
  const { version, notAfter, pages, signature } = fieldsOf(value)
  if (!Number.isSafeInteger(version) || (version as number) < 1) throw new Error('version is not a positive integer')
  if (typeof notAfter !== 'string' || Number.isNaN(Date.parse(notAfter))) throw new Error('notAfter is not a time')
  if (typeof signature !== 'string' || signature.length > 200) throw new Error('signature is not a text')
  const parts = fieldsOf(pages)
  const unknown = Object.keys(parts).find((name) => !Object.hasOwn(PAGE_PARTS, name))
  if (unknown !== undefined) throw new Error(`${unknown} is not a known part`)
  for (const [name, kind] of Object.entries(PAGE_PARTS)) {
    const problem = valuesProblem(parts[name], kind)
    if (problem) throw new Error(`${name} ${problem}`)
  }
  return { version: version as number, notAfter, pages: parts as Pages, signature }
}

function valuesProblem(values: unknown, kind: 'selectors' | 'paths'): string | null {
  if (!Array.isArray(values) || values.length === 0 || values.length > VALUES_MAX)
    return `does not have 1 to ${VALUES_MAX} values`
  const pattern = kind === 'paths' ? PATH : SELECTOR
  const isValid = (text: unknown) => typeof text === 'string' && text.length <= VALUE_LENGTH_MAX && pattern.test(text)
  const wrong = values.find((text) => !isValid(text))
  return wrong === undefined ? null : `has a value that is not one of ${kind}: ${String(wrong).slice(0, 100)}`
}

/** Returns the text that is signed. It does not depend on the order of keys. */
export function signedText({ version, notAfter, pages }: Omit<SignedPages, 'signature'>): string {
  const parts = Object.keys(PAGE_PARTS)
    .sort()
    .map((name) => [name, pages[name as PagePart]])
  return JSON.stringify(['x-automated extension pages', version, notAfter, parts])
}

/** Returns the user ids in a path that matches or extends one of the given paths; null if none matches. */
export function matchPath(paths: readonly string[], path: string): string[] | null {
  for (const pattern of paths) {
    const match = new RegExp(`^${pattern.replaceAll('{a}-{b}', '(\\d+)-(\\d+)')}(?:/|$)`).exec(path)
    if (match) return match.slice(1)
  }
  return null
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
