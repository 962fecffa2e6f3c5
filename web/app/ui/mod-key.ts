/** The modifier of shortcuts, as this system writes it before a key. */
export function modKey(): string {
  return isApple() ? '⌘' : 'Ctrl '
}

/** Whether that modifier is pressed. On a Mac, Ctrl with a letter edits text. */
export function isModPressed({ metaKey, ctrlKey }: Pick<KeyboardEvent, 'metaKey' | 'ctrlKey'>): boolean {
  return isApple() ? metaKey : metaKey || ctrlKey
}

const isApple = () => /Mac|iPhone|iPad/.test(navigator.platform)
