import { earlyPromise } from '@x-automated/contract/platform/early-features'
import { SHARE_PICTURE } from './share-picture.ts'

/** Placeholder in built pages for the support address. */
const SUPPORT_PLACEHOLDER = 'support@x-automated.example'
/** Placeholder in built pages for the origin that serves them. */
const ORIGIN_PLACEHOLDER = 'https://x-automated.example'

/** The product's addresses, unknown at build time. */
export interface Address {
  /** Without a trailing slash. */
  origin: string
  supportEmail: string
  /** Whether the product offers sign-in with Google. */
  google: boolean
}

/** Replaces the placeholders of a built page, and marks it if Google sign-in is unavailable. */
export function withAddress(html: string, { origin, supportEmail, google }: Address): string {
  return html
    .replace('<html ', google ? '<html ' : '<html data-without="google" ')
    .replaceAll(SUPPORT_PLACEHOLDER, supportEmail)
    .replaceAll(ORIGIN_PLACEHOLDER, origin)
    .replaceAll(encodeURIComponent(ORIGIN_PLACEHOLDER), encodeURIComponent(origin))
}

/** Whether `ref` could be a referral code. */
export function isPlausibleCode(ref: unknown): ref is string {
  return typeof ref === 'string' && /^[A-Za-z0-9]{1,32}$/.test(ref)
}

/** Link preview of a referral link. */
const INVITATION = {
  title: "You're invited to X-Automated",
  description: earlyPromise('Join with this link, and you both get priority access'),
}

/**
 * Adds link preview and search metadata to a prerendered page. @param url without a query
 * @param code the link's referral code: adds the invitation and its picture to the preview
 */
export function withHead(html: string, url: string, origin: string, code?: string): string {
  const picture = code ? `${origin}/share/${code}.png` : `${origin}/share.png`
  const titled = code
    ? html
        .replace(/(<meta property="og:title" content=")[^"]*/, `$1${INVITATION.title}`)
        .replace(/(<meta property="og:description" content=")[^"]*/, `$1${INVITATION.description}`)
    : html
  const head = [
    `<link rel="canonical" href="${url}"/>`,
    property('og:type', 'website'),
    // Social networks fetch this URL instead of the shared one.
    property('og:url', code ? `${url}?ref=${code}` : url),
    property('og:image', picture),
    property('og:image:type', 'image/png'),
    property('og:image:width', String(SHARE_PICTURE.width)),
    property('og:image:height', String(SHARE_PICTURE.height)),
    property('og:image:alt', code ? INVITATION.title : 'X-Automated: automate your X outreach with AI'),
    '<meta name="twitter:card" content="summary_large_image"/>',
  ]
  return titled.replace('</head>', `${head.join('')}</head>`)
}

function property(name: string, content: string): string {
  return `<meta property="${name}" content="${content}"/>`
}

/** Replaces the title of a page. */
export function withTitle(html: string, title: string): string {
  return html.replace(/<title>[^<]*<\/title>/, () => `<title>${title.replaceAll('&', '&amp;')}</title>`)
}

/** Marks a page as opened through a referral link, so that it shows the invitation immediately. */
export function withReferrer(html: string, code: string): string {
  return html.replace('<html ', `<html data-referrer="${code}" `)
}

/** Keeps a page out of search engines. For pages of signed-in users and of emailed links. */
export function withoutIndex(html: string): string {
  return html.replace('</head>', '<meta name="robots" content="noindex"/></head>')
}
