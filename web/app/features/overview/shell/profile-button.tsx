import type { ComponentProps } from 'react'
import type { User } from '../../../session'
import { Avatar } from '../../../ui/avatar'
import { IconButton } from '../../../ui/button'

/** Opens the profile menu. */
export function ProfileButton({ user, ...rest }: { user: User } & Omit<ComponentProps<typeof IconButton>, 'label'>) {
  return (
    <IconButton label="Profile menu" {...rest} className="rounded-full!">
      <Avatar name={user.email} size="sm" />
    </IconButton>
  )
}
