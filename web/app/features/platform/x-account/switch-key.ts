/** Fields in which Alt+X types a character ('≈' on a Mac). */
const TEXT_FIELDS = 'input, textarea, select, [contenteditable]:not([contenteditable="false"])'

type KeyPress = Pick<KeyboardEvent, 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'target'>

/** Whether this is Alt+X outside a text field. */
export function isSwitchKey({ code, altKey, ctrlKey, metaKey, shiftKey, target }: KeyPress): boolean {
  if (code !== 'KeyX' || !altKey || ctrlKey || metaKey || shiftKey) return false
  const element = target as Partial<Pick<Element, 'closest'>> | null
  return !element?.closest?.(TEXT_FIELDS)
}
