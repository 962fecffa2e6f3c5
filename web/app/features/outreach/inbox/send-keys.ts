import type { KeyboardEvent } from 'react'
import { modKey } from '../../../ui/mod-key'

/** The keys that send an answer, in the notation of the user's system. */
export function sendKeys(): string {
  return `${modKey()}↵`
}

/** Whether the keys that send an answer were pressed, on any system. */
export const sends = ({ key, metaKey, ctrlKey }: KeyboardEvent): boolean => key === 'Enter' && (metaKey || ctrlKey)
