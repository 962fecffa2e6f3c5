const ADDRESS = /(?:https?:\/\/|www\.)\S+/i
/** Links to posts become the posts themselves, and leave the text. */
const OWN_HOSTS = ['x.com', 'twitter.com']

/**
 * Is what stands there this message? X shows web addresses without their scheme and cut short, emojis as pictures, and
 * spaces as it likes: so an address counts by its host, and white space does not count.
 */
export function readsAs(shown: string, message: string): boolean {
  const parts = message.split(new RegExp(`(${ADDRESS.source})`, 'i')).map((part, place) => {
    return place % 2 === 1 ? addressPattern(part) : escaped(bare(part))
  })
  return new RegExp(`^${parts.join('')}$`, 'su').test(bare(shown))
}

function addressPattern(address: string): string {
  const host = /^(?:https?:\/\/)?(?:www\.)?([^/?#]*)/i.exec(address)?.[1]?.toLowerCase() ?? ''
  const pattern = `(?:[Hh][Tt][Tt][Pp][Ss]?://)?(?:[Ww]{3}\\.)?${anyCase(host)}.*?`
  return OWN_HOSTS.includes(host) ? `(?:${pattern})?` : pattern
}

function anyCase(text: string): string {
  return [...text].map((one) => (/\p{L}/u.test(one) ? `[${one}${one.toUpperCase()}]` : escaped(one))).join('')
}

/** Is this what was written? The composer holds the message as it is, but for white space. */
export function isWritten(written: string, message: string): boolean {
  return bare(written) === bare(message)
}

/** Without white space, and without the marks by which an emoji may be written in two ways. */
function bare(text: string): string {
  return text.replaceAll(/\s|\u200B|\uFE0F/gu, '')
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** The person's id, from the name of their follow button: `123-follow`. */
export function idInFollowName(name: string | undefined): string | null {
  return /^(\d+)-(?:un)?follow$/.exec(name ?? '')?.[1] ?? null
}

/** The handle in what an account button says: 'Ada @ada'. */
export function handleIn(text: string): string | null {
  return /@(\w{1,15})\b/.exec(text)?.[1] ?? null
}

/** Are these the same handle? Case does not matter. */
export function isHandle(one: string | null | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase()
}
