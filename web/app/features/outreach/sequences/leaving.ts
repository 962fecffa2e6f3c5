/** Asks before unsaved messages are lost. */
export const LOSING_MESSAGES = {
  title: 'Leave without saving?',
  body: 'What you wrote on this page is not saved.',
  confirm: 'Leave',
  cancel: 'Keep editing',
  danger: true,
}

/** Asks before a dialog with unsaved changes is closed. */
export const DISCARDING_CHANGES = {
  title: 'Discard changes?',
  body: 'What you wrote is not saved.',
  confirm: 'Discard changes',
  cancel: 'Keep editing',
  danger: true,
}
