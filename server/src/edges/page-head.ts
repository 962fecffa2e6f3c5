import { SHARE_PICTURE } from './share-picture.ts'

/** Stands in built pages for the address that people write to. */
const SUPPORT_PLACEHOLDER = 'support@x-automated.example'
/** Stands in built pages for the origin that they are served at. */
const ORIGIN_PLACEHOLDER = 'https://x-automated.example'

/** What this product is called by, and where: the build does not know. */
export interface Address {
  /** Without a trailing slash. */
  origin: string
  supportEmail: string
  /** Does it offer to sign in with Google? */
  google: boolean
}

/** Writes the product's own addresses where the built page leaves room for them, and what it does not offer. */
export function withAddress(html: string, { origin, supportEmail, google }: Address): string {
  return html
    .replace('<html ', google ? '<html ' : '<html data-without="google" ')
    .replaceAll(SUPPORT_PLACEHOLDER, supportEmail)
    .replaceAll(ORIGIN_PLACEHOLDER, origin)
    .replaceAll(encodeURIComponent(ORIGIN_PLACEHOLDER), encodeURIComponent(origin))
}

/** Codes that a page is filled for; whatever else stands in `ref` is not one. */
export function isPlausibleCode(ref: unknown): ref is string {
  return typeof ref === 'string' && /^[A-Za-z0-9]{1,32}$/.test(ref)
}

/** What a referral link is called where it is shared. */
const INVITATION = {
  title: 'You’re invited to X-Automated',
  description: 'Join by this link, and you both get priority access.',
}

/**
 * A prerendered page with what search engines and networks are to know of it.
 * @param url its address, without a query
 * @param code of the friend whose link this is; the networks are told of the invitation, and shown its picture
 */
export function withHead(html: string, url: string, origin: string, code?: string): string {
  const picture = code ? `${origin}/share/${code}.png` : `${origin}/share.png`
  const told = code
    ? html
        .replace(/(<meta property="og:title" content=")[^"]*/, `$1${INVITATION.title}`)
        .replace(/(<meta property="og:description" content=")[^"]*/, `$1${INVITATION.description}`)
    : html
  const head = [
    `<link rel="canonical" href="${url}"/>`,
    property('og:type', 'website'),
    // Networks look at this address in place of the one that was shared.
    property('og:url', code ? `${url}?ref=${code}` : url),
    property('og:image', picture),
    property('og:image:type', 'image/png'),
    property('og:image:width', String(SHARE_PICTURE.width)),
    property('og:image:height', String(SHARE_PICTURE.height)),
    property('og:image:alt', code ? INVITATION.title : 'X-Automated: automate your X outreach with AI'),
    '<meta name="twitter:card" content="summary_large_image"/>',
  ]
  return told.replace('</head>', `${head.join('')}</head>`)
}

function property(name: string, content: string): string {
  return `<meta property="${name}" content="${content}"/>`
}

/** Marks a page as opened by the link of a member, so that it may announce them from its first moment. */
export function withReferrer(html: string, code: string): string {
  return html.replace('<html ', `<html data-referrer="${code}" `)
}

/** For pages that nobody is to find: they are for who is signed in, or came by a link. */
export function withoutIndex(html: string): string {
  return html.replace('</head>', '<meta name="robots" content="noindex"/></head>')
}
