/** The modifier key as this system displays it in shortcuts, to be followed by another key. */
export function modKey(): string {
  return isApple() ? '⌘' : 'Ctrl '
}

/** Whether the modifier key is pressed. On a Mac this is not Ctrl, which edits text when combined with a letter. */
export function isModPressed({ metaKey, ctrlKey }: Pick<KeyboardEvent, 'metaKey' | 'ctrlKey'>): boolean {
  return isApple() ? metaKey : metaKey || ctrlKey
}

const isApple = () => /Mac|iPhone|iPad/.test(navigator.platform)
