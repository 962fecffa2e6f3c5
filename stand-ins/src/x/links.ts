import { createHash } from 'node:crypto'

/** A link that X has shortened. `start` and `end` locate its t.co link in the text, in UTF-16 units. */
type Link = { start: number; end: number; url: string; expanded_url: string; display_url: string }

/** URLs with a scheme, and bare names under the most common top-level domains. */
const LINK =
  /\bhttps?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}]|(?<![\w@./-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|org|net|io|ai|co|dev|app|me|xyz|so|gg|tv|fm|to|ly|us|uk|de|fr|eu|info|biz|shop|site|online|tech|page|link|example)(?![\w-])(?:\/[^\s<>"']*[^\s<>"'.,;:!?)\]}])?/gi

/** Returns X's short link for a URL, always the same. */
function shortLink(address: string): string {
  return `https://t.co/${createHash('sha256').update(address).digest('base64url').replace(/[-_]/g, 'x').slice(0, 10)}`
}

/** Returns a text as X shows it, with t.co links, and a description of each link. */
export function linksIn(text: string): { text: string; urls: Link[] } {
  const urls: Link[] = []
  let shownText = ''
  let end = 0
  for (const match of text.matchAll(LINK)) {
    shownText += text.slice(end, match.index)
    end = match.index + match[0].length
    const expanded = /^https?:/i.test(match[0]) ? match[0] : `http://${match[0]}`
    const url = shortLink(expanded)
    urls.push({ start: shownText.length, end: shownText.length + url.length, url, ...describe(expanded) })
    shownText += url
  }
  return { text: shownText + text.slice(end), urls }
}

/** Returns a profile's website: a t.co link and its entities. */
export function websiteLink(address: string) {
  const url = shortLink(address)
  return { url, entities: { urls: [{ start: 0, end: url.length, url, ...describe(address) }] } }
}

function describe(address: string): { expanded_url: string; display_url: string } {
  const display = address.replace(/^https?:\/\/(www\.)?/i, '')
  return { expanded_url: address, display_url: display.length > 27 ? `${display.slice(0, 26)}…` : display }
}
