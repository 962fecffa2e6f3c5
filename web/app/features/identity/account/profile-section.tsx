import { useQuery, useQueryClient } from '@tanstack/react-query'
import { formatDate } from '@x-automated/contract/format'
import { account, type User } from '@x-automated/contract/identity/account'
import { useForm } from 'react-hook-form'
import { api, client } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { session } from '../../../session'
import { Avatar } from '../../../ui/avatar'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { Skeleton, SkeletonButton, SkeletonField, SkeletonLine } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { Section } from './section'

/** The user's name. */
export function ProfileSection() {
  const user = useQuery(api.account.findUser.queryOptions())
  return (
    <Section id="profile" query={user} skeleton={<ProfileSkeleton />}>
      {user.data && <ProfileForm user={user.data} />}
    </Section>
  )
}

function ProfileSkeleton() {
  return (
    <div className="grid gap-5">
      <div className="flex items-center gap-4">
        <Skeleton className="size-14 shrink-0 rounded-full!" />
        <div className="grid flex-1">
          <SkeletonLine className="w-48" />
          <SkeletonLine className="w-36" />
        </div>
      </div>
      <SkeletonField className="max-w-sm" />
      <SkeletonButton className="w-28" />
    </div>
  )
}

function ProfileForm({ user }: { user: User }) {
  const queries = useQueryClient()
  const form = useForm({
    resolver: contractResolver(account.updateUser),
    values: { name: user.name },
    resetOptions: { keepDirty: true, keepDirtyValues: true },
  })
  const save = useAction((input: { name?: string }) => client.account.updateUser(input), {
    onSuccess(changed, { name }) {
      if (form.getValues('name')?.trim() === name) form.resetField('name', { defaultValue: changed.name })
      queries.setQueryData(api.account.findUser.queryKey(), changed)
      session.updateUser({ id: changed.id, email: changed.email })
    },
    done: 'Name saved.',
  })
  return (
    <Form name="profile" className="grid-cols-1 gap-5" onSubmit={form.handleSubmit((values) => save.run(values))}>
      <div className="flex items-center gap-4">
        <Avatar name={user.name || user.email} size="lg" />
        <div className="min-w-0">
          <p className="truncate text-base font-strong">{user.email}</p>
          <p className="text-muted">
            Member since <time dateTime={user.createdAt}>{formatDate(user.createdAt, { dateStyle: 'long' })}</time>
          </p>
        </div>
      </div>
      <Field label="Name" error={form.formState.errors.name?.message} required className="max-w-sm">
        <Input autoComplete="name" {...form.register('name')} />
      </Field>
      <Button type="submit" className="w-fit" loading={save.isPending} disabled={!form.formState.isDirty}>
        {save.isPending ? 'Saving…' : 'Save name'}
      </Button>
    </Form>
  )
}
