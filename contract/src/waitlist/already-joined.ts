/** The message if the email address has already joined. There is no error code for it. */
export const ALREADY_JOINED = 'User already exists'
