/** Where a key types: there Alt+X is a character ('≈' on a Mac). */
const TYPED_INTO = 'input, textarea, select, [contenteditable]:not([contenteditable="false"])'

type Pressed = Pick<KeyboardEvent, 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'target'>

/** Is this Alt+X, pressed where nobody types? */
export function isSwitchKey({ code, altKey, ctrlKey, metaKey, shiftKey, target }: Pressed): boolean {
  if (code !== 'KeyX' || !altKey || ctrlKey || metaKey || shiftKey) return false
  const at = target as Partial<Pick<Element, 'closest'>> | null
  return !at?.closest?.(TYPED_INTO)
}
