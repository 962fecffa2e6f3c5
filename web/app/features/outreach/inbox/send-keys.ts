import { modKey } from '../../../ui/mod-key'

/** The keys that send an answer, as this system writes them. */
export function sendKeys(): string {
  return `${modKey()}↵`
}
