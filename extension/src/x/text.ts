const ADDRESS = /(?:https?:\/\/|www\.)\S+/i
/** Hosts of X. X turns links to posts into embedded posts and removes them from the text. */
const OWN_HOSTS = ['x.com', 'twitter.com']

/**
 * Whether the displayed text is this message. X shortens URLs, shows emoji as images and changes
 * spaces, so URLs are compared by host and white space is ignored.
 */
export function readsAs(displayed: string, message: string): boolean {
  const parts = message.split(new RegExp(`(${ADDRESS.source})`, 'i')).map((part, index) => {
    return index % 2 === 1 ? addressPattern(part) : escaped(bare(part))
  })
  return new RegExp(`^${parts.join('')}$`, 'su').test(bare(displayed))
}

function addressPattern(address: string): string {
  const host = /^(?:https?:\/\/)?(?:www\.)?([^/?#]*)/i.exec(address)?.[1]?.toLowerCase() ?? ''
  const pattern = `(?:[Hh][Tt][Tt][Pp][Ss]?://)?(?:[Ww]{3}\\.)?${anyCase(host)}.*?`
  return OWN_HOSTS.includes(host) ? `(?:${pattern})?` : pattern
}

function anyCase(text: string): string {
  return [...text]
    .map((character) => (/\p{L}/u.test(character) ? `[${character}${character.toUpperCase()}]` : escaped(character)))
    .join('')
}

/** Whether the composer contains this message, ignoring white space and emoji variation selectors. */
export function isWritten(written: string, message: string): boolean {
  return bare(written) === bare(message)
}

/** Removes white space and emoji variation selectors. */
function bare(text: string): string {
  return text.replaceAll(/\s|\u200B|\uFE0F/gu, '')
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** The person's id in the name of a button on their profile, such as `123-follow` or `123-unblock`. */
export function idInName(name: string | undefined): string | null {
  return /^(\d{1,20})-[a-z]+$/i.exec(name ?? '')?.[1] ?? null
}

/** The handle in the text of an account button, such as 'Ada @ada'. */
export function handleIn(text: string): string | null {
  return /@(\w{1,15})\b/.exec(text)?.[1] ?? null
}

/** Whether two handles are the same, ignoring case. */
export function isHandle(handle: string | null | undefined, other: string): boolean {
  return handle?.toLowerCase() === other.toLowerCase()
}
