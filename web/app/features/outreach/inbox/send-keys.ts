import { modKey } from '../../../ui/mod-key'

/** The keys that send an answer, in the notation of the user's system. */
export function sendKeys(): string {
  return `${modKey()}↵`
}
