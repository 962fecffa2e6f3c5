const ON_X = String.raw`^(?:https?:\/\/)?(?:www\.|mobile\.|m\.)?(?:x|twitter)\.com`
const POST = new RegExp(String.raw`${ON_X}\/(?:i\/web|\w{1,15})\/status(?:es)?\/(\d{1,19})(?:[/?#]|$)`, 'i')
const LIST = new RegExp(String.raw`${ON_X}\/i\/lists\/(\d{1,19})(?:[/?#]|$)`, 'i')

/** Returns the id in the URL of a post on X, or null. */
export function postIdIn(url: string): string | null {
  return POST.exec(url.trim())?.[1] ?? null
}

/** Returns the id in the URL of a list on X, or null. */
export function listIdIn(url: string): string | null {
  return LIST.exec(url.trim())?.[1] ?? null
}
