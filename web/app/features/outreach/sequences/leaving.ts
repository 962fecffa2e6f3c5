/** The question before unsaved messages are lost. */
export const LOSING_MESSAGES = {
  title: 'Leave without saving?',
  body: "Your changes on this page haven't been saved.",
  confirm: 'Leave',
  cancel: 'Keep editing',
  danger: true,
}

/** The question before a dialog with unsaved changes is closed. */
export const DISCARDING_CHANGES = {
  title: 'Discard changes?',
  body: "Your changes haven't been saved.",
  confirm: 'Discard changes',
  cancel: 'Keep editing',
  danger: true,
}
